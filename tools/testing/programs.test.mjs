import { afterEach, expect, test, vi } from "vitest";
import { findPrograms } from "./programs.mjs";

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

test("a program that is named is the one that is used", () => {
  for (const variable of VARIABLES) vi.stubEnv(variable, process.execPath);
  expect(findPrograms()[0]).toMatchObject({ name: "Chromium", path: process.execPath });
});
