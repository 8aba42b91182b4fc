import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMissing } from "./install.mjs";

const WANTED = {
  "": {},
  "packages/money": { version: "0.1.0" },
  "node_modules/pg": { version: "8.0.0" },
  "node_modules/@exchange/money": { resolved: "packages/money", link: true },
  "node_modules/other-platform": { version: "1.0.0", optional: true },
};

/** Creates a folder whose lock file wants some packages and where others are installed. */
function makeRoot({ installed }) {
  const root = mkdtempSync(join(tmpdir(), "exchange-install-"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: WANTED }));
  for (const path of Object.keys(installed)) mkdirSync(join(root, path), { recursive: true });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  const hidden = JSON.stringify({ packages: installed });
  writeFileSync(join(root, "node_modules/.package-lock.json"), hidden);
  return root;
}
const { "": _root, "node_modules/other-platform": _optional, ...INSTALLED } = WANTED;

test("nothing is missing when all but another platform's package is there", () => {
  expect(findMissing({ root: makeRoot({ installed: INSTALLED }) })).toBeUndefined();
});

test("a package of another version is missing", () => {
  const installed = { ...INSTALLED, "node_modules/pg": { version: "7.9.9" } };
  expect(findMissing({ root: makeRoot({ installed }) })).toContain("node_modules/pg");
});

test("a package whose folder was deleted is missing", () => {
  const root = makeRoot({ installed: INSTALLED });
  rmSync(join(root, "node_modules/pg"), { recursive: true });
  expect(findMissing({ root })).toContain("node_modules/pg");
});

test("everything is missing in a fresh clone", () => {
  const root = mkdtempSync(join(tmpdir(), "exchange-install-"));
  expect(findMissing({ root })).toBe("none are installed");
});
