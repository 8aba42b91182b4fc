import { afterEach, expect, test, vi } from "vitest";
import { findBrowsers } from "./browsers.mjs";

const VARIABLES = ["CHROMIUM_PATH", "FIREFOX_PATH", "WEBKIT_DRIVER_PATH"];

afterEach(() => vi.unstubAllEnvs());

test("a browser that is named but is not there is absent, and nothing is installed in its place", () => {
  for (const variable of VARIABLES) vi.stubEnv(variable, "/nowhere/browser");
  expect(findBrowsers().map(({ path }) => path)).toEqual(VARIABLES.map(() => undefined));
});

test("a browser that is named is the one that is used", () => {
  for (const variable of VARIABLES) vi.stubEnv(variable, process.execPath);
  expect(findBrowsers()[0]).toMatchObject({ name: "Chromium", path: process.execPath });
});
