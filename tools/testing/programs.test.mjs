import { afterEach, expect, test, vi } from "vitest";
import { findPrograms, variablesOf } from "./programs.mjs";

const VARIABLES = [
  "CHROMIUM_PATH",
  "FIREFOX_PATH",
  "WEBKIT_DRIVER_PATH",
  "PGBOUNCER_PATH",
  "PROMTOOL_PATH",
  "FAKETIME_PATH",
  "PODMAN_PATH",
  "PYTHON_PATH",
  "PHP_PATH",
  "ZSH_PATH",
  "FISH_PATH",
  "LITECOIND_PATH",
  "ANVIL_PATH",
];

afterEach(() => vi.unstubAllEnvs());

test("a program that is named but is not there is absent, and nothing is installed in its place", () => {
  for (const variable of VARIABLES) vi.stubEnv(variable, "/nowhere/program");
  expect(findPrograms().map(({ path }) => path)).toEqual(VARIABLES.map(() => undefined));
});

test("a run without drills does not look for what only drills need", () => {
  const rest = variablesOf({ withDrills: false });
  expect(variablesOf({ withDrills: true })).toEqual(VARIABLES);
  expect(VARIABLES.filter((variable) => !rest.includes(variable))).toEqual([
    "FIREFOX_PATH",
    "WEBKIT_DRIVER_PATH",
    "PGBOUNCER_PATH",
    "FAKETIME_PATH",
    "PODMAN_PATH",
  ]);
});

test("a program that is named is the one that is used", () => {
  for (const variable of VARIABLES) vi.stubEnv(variable, process.execPath);
  expect(findPrograms()[0]).toMatchObject({ name: "Chromium", path: process.execPath });
});
