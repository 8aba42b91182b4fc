import { existsSync, readFileSync } from "node:fs";
import { CheckoutSession, ENDPOINTS, type Endpoint } from "@exchange/contract";
import { describe, expect, test } from "vitest";

const ROOT = new URL("../../../../", import.meta.url);
const REFERENCE = /"([^"]+)" in `([^`]+)`/g;

const readPage = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/** Returns the cells of a page's rows whose first cell begins with the pattern. */
const rowsOf = (page: string, first: RegExp): string[][] =>
  readPage(`docs/security/${page}`)
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([cell = ""]) => first.test(cell));

const ITEMS = rowsOf("owasp.md", /^API\d/);
const REQUIREMENTS = rowsOf("asvs.md", /^v5/);

/**
 * The number of requirements of the levels 1 and 2 in each section of ASVS 5.0.0. A section whose
 * requirements are all of level 3 has none.
 */
const SECTIONS = [
  [2, 9, 11, 3, 2],
  [3, 3, 4, 1],
  [0, 2, 4, 6, 5, 0, 2],
  [3, 1, 2, 4],
  [1, 3, 2, 3],
  [3, 12, 4, 4, 5, 3, 0, 4],
  [3, 4, 2, 5, 2, 2],
  [2, 3, 1, 1],
  [3, 4],
  [2, 2, 4, 11, 5, 2, 3],
  [2, 3, 3, 4, 1, 1],
  [3, 2, 4],
  [1, 5, 2, 5],
  [2, 4, 3],
  [3, 3, 7],
  [1, 5, 4, 3, 3],
  [1, 4, 2],
];

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test("owasp.md has a row for each item of the API Top 10", () => {
  const items = upTo(10).map((number) => `API${number}`);
  expect(ITEMS.map(([name = ""]) => name.split(" ")[0])).toEqual(items);
});

test("asvs.md has a row for each requirement of ASVS 5.0.0 of the levels 1 and 2", () => {
  const ids = SECTIONS.flatMap((sections, chapter) =>
    sections.flatMap((count, section) =>
      upTo(count).map((number) => `v5.0.0-${chapter + 1}.${section + 1}.${number}`),
    ),
  );
  expect(ids).toHaveLength(253);
  expect(REQUIREMENTS.map(([id]) => id)).toEqual(ids);
});

test("asvs.md says how many requirements are shown, have a reason and are not met", () => {
  const count = (begin: string) =>
    REQUIREMENTS.filter((cells) => cells.at(-1)?.startsWith(begin)).length;
  const summary = `Of ${REQUIREMENTS.length} requirements tests show ${count('"')}, ${count("Reason")} have a reason, ${count("Operator")} are the operator's, and ${count("Not met")} are not met.`;
  expect(readPage("docs/security/asvs.md")).toContain(summary);
});

describe("each row names a test that exists, or a reason", () => {
  const answers = [...ITEMS, ...REQUIREMENTS].map(
    (cells) => [cells[0] ?? "", cells.at(-1) ?? ""] as const,
  );
  test.each(answers)("%s", (_name, answer) => {
    const references = [...answer.matchAll(REFERENCE)];
    if (references.length === 0) {
      expect(answer).toMatch(/^(?:Reason|Operator|Not met): [A-Za-z[].{8,}\.$/);
    }
    for (const [, title = "", path = ""] of references) {
      const file = new URL(path, ROOT);
      expect(existsSync(file), path).toBe(true);
      expect(readFileSync(file, "utf8"), path).toContain(`"${title}"`);
    }
  });
});

test("SECURITY.md names each field of the customer that the holder of a public token reads", () => {
  const sentence = /With it the API shows ([\s\S]*?) It never shows/.exec(readPage("SECURITY.md"));
  const named = [...(sentence?.[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(CheckoutSession.properties.customer.properties));
});

test("SECURITY.md lists exactly the calls that the page of an order may make", () => {
  const [, section = ""] = readPage("SECURITY.md").split("## What the page of an order may do\n");
  const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([A-Z]+ [^`]+)` \|/gm)];
  const allowed = Object.values<Endpoint>(ENDPOINTS)
    .filter(({ onOrderPage }) => onOrderPage)
    .map(({ method, path }) => `${method} ${path}`);
  expect(listed.map(([, call = ""]) => call).toSorted()).toEqual(allowed.toSorted());
});
