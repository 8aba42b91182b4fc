import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { merchantCalls } from "./document.ts";
import { writeOperations, writeResources } from "./write-calls.ts";
import { writeTypes } from "./write-types.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
export const GENERATED_FOLDER = path.join(ROOT, "sdk/node/src/generated");

const HEADER =
  "// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.\n\n";

/** The generated files by name, formatted: everything the client knows of the contract. */
export function generate(): Readonly<Record<string, string>> {
  const calls = merchantCalls();
  if (calls.length === 0) throw new Error("the contract has no merchant endpoint");
  const files = {
    "operations.ts": writeOperations(calls),
    "resources.ts": writeResources(calls),
    "types.ts": writeTypes(calls),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, format(name, HEADER + text)]),
  );
}

function format(name: string, text: string): string {
  const biome = path.join(ROOT, "node_modules/.bin/biome");
  const target = path.join(GENERATED_FOLDER, name);
  const formatted = spawnSync(biome, ["check", "--write", `--stdin-file-path=${target}`], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
  });
  if (formatted.status === 0) return formatted.stdout;
  throw new Error(`${name} could not be formatted: ${formatted.stderr}\n${text}`);
}
