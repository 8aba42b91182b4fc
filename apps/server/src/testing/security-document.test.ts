import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const ROOT = new URL("../../../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/security/owasp.md", ROOT), "utf8");
const REFERENCE = /"([^"]+)" in `([^`]+)`/g;

/** Returns the cells of the rows whose first cell begins with the number of an item or section. */
const rows = PAGE.split("\n")
  .filter((line) => /^\| (?:API\d|\d+\.\d)/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** The sections of each chapter of ASVS 5.0, in order. */
const SECTIONS = [5, 4, 7, 4, 4, 8, 6, 4, 2, 7, 7, 3, 4, 3, 4, 5, 3];

test("owasp.md has a row for each item of the API Top 10 and each section of ASVS 5.0", () => {
  const items = Array.from({ length: 10 }, (_, index) => `API${index + 1}`);
  const sections = SECTIONS.flatMap((count, chapter) =>
    Array.from({ length: count }, (_, index) => `${chapter + 1}.${index + 1}`),
  );
  expect(rows.map(([name = ""]) => name.split(" ")[0])).toEqual([...items, ...sections]);
});

describe("each row of owasp.md names a test that exists, or a reason", () => {
  test.each(rows.map(([name = "", , last = ""]) => [name, last] as const))("%s", (_name, last) => {
    const references = [...last.matchAll(REFERENCE)];
    if (references.length === 0) expect(last).toMatch(/^Reason: [a-z[].{8,}\.$/);
    for (const [, title = "", path = ""] of references) {
      const file = new URL(path, ROOT);
      expect(existsSync(file), path).toBe(true);
      expect(readFileSync(file, "utf8"), path).toContain(`"${title}"`);
    }
  });
});
