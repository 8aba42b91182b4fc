import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "./checks/tracked.mjs";
import { makeAdapter } from "./new-adapter.mjs";

const ADAPTERS = path.join(ROOT, "apps/server/src/adapters");
const folder = mkdtempSync(path.join(tmpdir(), "exchange-adapter-"));
afterAll(() => rmSync(folder, { recursive: true }));

const filesOf = (...parts) =>
  readdirSync(path.join(...parts), { recursive: true }).toSorted((a, b) => a.localeCompare(b));

test("a new venue has the file names of the others", () => {
  expect(makeAdapter("gemini", folder).made).toBe(true);
  for (const venue of ["kraken", "coinbase", "bitstamp", "binance"]) {
    expect([venue, filesOf(ADAPTERS, venue)]).toEqual([venue, filesOf(folder, "gemini")]);
  }
});

test("a name that is missing, wrong or taken is refused with what is accepted", () => {
  expect(makeAdapter("", folder).lines[0]).toContain("The name of the venue is missing.");
  for (const name of ["Gemini", "../x", "a", "toString "]) {
    expect(makeAdapter(name, folder)).toMatchObject({ made: false });
    expect(makeAdapter(name, folder).lines[0]).toContain("Use lower-case letters and digits");
  }
  makeAdapter("taken", folder);
  expect(makeAdapter("taken", folder).lines[0]).toContain("exists");
});
