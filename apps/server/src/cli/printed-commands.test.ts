import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMMANDS } from "./main.ts";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
/** Options that every command has. */
const COMMON = ["help", "json"];

const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/test/.test(file),
);
const longestFirst = COMMANDS.toSorted((a, b) => b.name.length - a.name.length);

test("each command that a text of the service names has the options that stand with it", () => {
  const wrong: string[] = [];
  let found = 0;
  for (const file of files) {
    const text = readFileSync(path.join(SOURCES, file), "utf8");
    for (const [, line = ""] of text.matchAll(/\bexchange ([a-z][^\n`"]*)/g)) {
      const command = longestFirst.find(({ name }) => `${line} `.startsWith(`${name} `));
      if (command === undefined) continue;
      found += 1;
      const accepted = [...COMMON, ...Object.keys(command.options ?? {})];
      const options = [...line.matchAll(/--([a-z][a-z-]*)/g)].map(([, option = ""]) => option);
      if (options.some((option) => !accepted.includes(option))) wrong.push(`${file}: ${line}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(50);
});
