import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type MerchantCall, merchantCalls } from "./document.ts";
import { writeOperations, writeResources, writeTable } from "./write-calls.ts";
import { writePhp } from "./write-php.ts";
import { writePython } from "./write-python.ts";
import { writeTypes } from "./write-types.ts";

export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const FOLDER = "sdk/node/src/generated";
const AGENTS_PAGE = "docs/reference/agents.md";

const HEADER =
  "// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.\n\n";

/** Returns the generated files, formatted, by their path from the root. */
export function generate(): Readonly<Record<string, string>> {
  const calls = merchantCalls();
  if (calls.length === 0) throw new Error("the contract has no merchant endpoint");
  const sources = {
    [`${FOLDER}/operations.ts`]: writeOperations(calls),
    [`${FOLDER}/resources.ts`]: writeResources(calls),
    [`${FOLDER}/types.ts`]: writeTypes(calls),
  };
  const formatted = Object.entries(sources).map(([file, text]) => [
    file,
    format(file, HEADER + text),
  ]);
  const page = readFileSync(path.join(ROOT, AGENTS_PAGE), "utf8");
  return {
    ...Object.fromEntries(formatted),
    ...writePython(calls),
    ...writePhp(calls),
    [AGENTS_PAGE]: putTable(page, calls),
  };
}

const TABLE = /(?<=<!-- methods -->\n).*(?=<!-- \/methods -->)/s;

function putTable(page: string, calls: readonly MerchantCall[]): string {
  if (!TABLE.test(page)) throw new Error(`${AGENTS_PAGE} has no place for the methods`);
  return page.replace(TABLE, () => writeTable(calls));
}

function format(file: string, text: string): string {
  const biome = path.join(ROOT, "node_modules/.bin/biome");
  const formatted = spawnSync(biome, ["check", "--write", `--stdin-file-path=${file}`], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
  });
  if (formatted.status === 0) return formatted.stdout;
  throw new Error(`${file} could not be formatted: ${formatted.stderr}\n${text}`);
}
