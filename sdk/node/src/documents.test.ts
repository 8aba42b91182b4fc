import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "./generated/operations.ts";
import * as library from "./index.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

const GUIDE = "docs/guides/use-the-node-library.md";
const PAGES = [GUIDE, "docs/reference/agents.md", "sdk/node/README.md", "llms.txt"];
const SNIPPETS = "sdk/node/src/snippets";

const codeIn = (page: string): string[] =>
  [...read(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);

describe("programs", () => {
  const snippets = readdirSync(path.join(ROOT, SNIPPETS))
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => read(`${SNIPPETS}/${name}`));

  test.each([GUIDE, "sdk/node/README.md"])("those of %s are snippets that tests run", (page) => {
    const programs = codeIn(page);
    expect(programs.length).toBeGreaterThan(0);
    const strangers = programs.filter((code) => !snippets.some((text) => text.includes(code)));
    expect(strangers).toEqual([]);
  });

  test("the guide shows every snippet", () => {
    const shown = codeIn(GUIDE);
    const hidden = snippets.filter((text) => !shown.some((code) => text.startsWith(code)));
    expect(hidden).toEqual([]);
  });
});

test.each(PAGES)("every file that %s links to is there, and every heading", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    const [file = "", heading] = link.split("#");
    const target = file === "" ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(ROOT, target))) return true;
    return heading !== undefined && !headingsOf(target).includes(heading);
  });
  expect(broken).toEqual([]);
});

const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );

test.each(PAGES)("every method and name that %s speaks of exists", (page) => {
  const resources = Object.keys(OPERATIONS).join("|");
  const spoken = [...read(page).matchAll(new RegExp(`\\b(${resources})\\.(?!md\\b)(\\w+)`, "g"))];
  const unknown = spoken.filter(([, resource = "", method = ""]) => {
    const methods = OPERATIONS[resource as keyof typeof OPERATIONS];
    return !Object.hasOwn(methods, method);
  });
  expect(unknown.map(([name]) => name)).toEqual([]);
});

test("the package's page names everything it exports", () => {
  const page = read("sdk/node/README.md");
  const names = [...Object.keys(library), ...Object.keys(library.webhooks)];
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test("llms.txt is as llmstxt.org has it: one title, a summary, and sections of links", () => {
  const text = read("llms.txt");
  expect(text).toMatch(/^# [^\n]+\n\n> /);
  expect(text.match(/^# /gm)).toHaveLength(1);
  const sections = text.split(/^## .*$/m).slice(1);
  expect(sections.length).toBeGreaterThan(1);
  for (const section of sections) {
    for (const line of section.trim().split("\n")) expect(line).toMatch(/^- \[[^\]]+\]\([^)]+\)/);
  }
});
