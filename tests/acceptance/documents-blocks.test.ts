import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, test } from "vitest";
import { type Block, readmeBlocks, servedBlocks } from "../support/documents/blocks.ts";
import { CHECKS } from "../support/documents/checks.ts";
import { faultsOfLines } from "../support/documents/lines.ts";
import { CHECKED, NOT_RUN, RUN } from "../support/documents/registry.ts";
import { ROOT } from "../support/service/service.ts";

const service = inject("service");
const nameOf = ({ page, text }: Block): string => `${page}: ${text.split("\n")[0]}`;

/** The READMEs that the service serves, by the names of their pages. */
const SERVED: Readonly<Record<string, string>> = {
  "guides/node": "sdk/node/README.md",
  "guides/python": "sdk/python/README.md",
  "guides/php": "sdk/php/README.md",
  "guides/react": "sdk/react/README.md",
};

/** Returns every block of every page of the service, and of every README of the repository. */
async function allBlocks(): Promise<readonly Block[]> {
  const answer = await fetch(`${service.url}/docs/search.json`);
  const pages = (await answer.json()) as readonly { name: string }[];
  const served = await Promise.all(pages.map(({ name }) => servedBlocks(service, name)));
  const listed = execFileSync("git", ["ls-files", "*README.md"], { cwd: ROOT, encoding: "utf8" });
  const others = listed
    .trim()
    .split("\n")
    .filter((file) => !file.startsWith("docs/") && !Object.values(SERVED).includes(file));
  return [...served.flat(), ...others.flatMap(readmeBlocks)];
}

/** A block of our commands alone counts as a list of its own. */
const REMEDY =
  "Put it into exactly one of RUN, CHECKED and NOT_RUN (tests/support/documents/registry.ts), or into none if it has our commands only.";

type Registry = typeof RUN;

/** Returns the row of a block: the page's, and the longest of the words with which the block begins. */
function rowOf(registry: Registry, { page, text }: Block): [string, string] | undefined {
  const rows = Object.entries(registry[page] ?? {});
  const fitting = rows.filter(([first]) =>
    text.startsWith(first.replace("{base_url}", service.url)),
  );
  return fitting.toSorted(([a], [b]) => b.length - a.length)[0];
}

describe("every block of code in the documents", async () => {
  const blocks = await allBlocks();
  const faultsByBlock = new Map<Block, readonly string[] | undefined>();
  for (const block of blocks) faultsByBlock.set(block, await faultsOfLines(block.text));

  test("is run by a test, checked, made of our own commands, or listed with the reason why not", () => {
    expect(blocks.length).toBeGreaterThan(200);
    const wrong = blocks.flatMap((block) => {
      const ways = [
        ...[RUN, CHECKED, NOT_RUN].map((registry) => rowOf(registry, block)),
        // A block of our commands may be run too.
        rowOf(RUN, block) ? undefined : faultsByBlock.get(block),
      ];
      const count = ways.filter((way) => way !== undefined).length;
      return count === 1 ? [] : [`${nameOf(block)} is in ${count} lists. ${REMEDY}`];
    });
    expect(wrong).toEqual([]);
  });

  test("has commands, scripts and settings that exist, where it is made of them", () => {
    expect([...faultsByBlock.values()].flatMap((faults) => faults ?? [])).toEqual([]);
  });

  test("every row of the registry fits a block", () => {
    const used = new Set(
      [RUN, CHECKED, NOT_RUN].flatMap((registry) =>
        blocks.map((block) => `${block.page}: ${rowOf(registry, block)?.[0]}`),
      ),
    );
    const rows = [RUN, CHECKED, NOT_RUN].flatMap((registry) =>
      Object.entries(registry).flatMap(([page, firsts]) =>
        Object.keys(firsts).map((first) => `${page}: ${first}`),
      ),
    );
    expect(rows.filter((row) => !used.has(row))).toEqual([]);
  });

  test("a test file that runs a block names the block's page", () => {
    const wrong = Object.entries(RUN).flatMap(([page, firsts]) =>
      [...new Set(Object.values(firsts))]
        .filter((file) => {
          const isThere = existsSync(path.join(ROOT, file));
          const text = isThere ? readFileSync(path.join(ROOT, file), "utf8") : "";
          return ![page, SERVED[page]].some((name) => name && text.includes(name));
        })
        .map((file) => `${file} does not read ${page}`),
    );
    expect(wrong).toEqual([]);
  });

  const checked = blocks.filter((block) => rowOf(CHECKED, block));
  test.each(checked.map((block) => [nameOf(block), block] as const))(
    "is correct, where it is read and not run: %s",
    async (_, block) => {
      const [, check = ""] = rowOf(CHECKED, block) ?? [];
      expect(await CHECKS[check]?.(block.text, service)).toEqual([]);
    },
  );
});
