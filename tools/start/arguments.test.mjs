import { expect, test } from "vitest";
import { readArguments, readNodePort } from "./arguments.mjs";

test("without arguments the sandbox plays every chain", () => {
  expect(readArguments([], {})).toEqual({ hasLocalChains: false });
  expect(readArguments([], { EXCHANGE_ENV: "prod", DATABASE_URL: "postgres://x" })).toEqual({
    hasLocalChains: false,
  });
});

test.each([[["--chains", "local"]], [["--chains=local"]]])("%j runs local chains", (words) => {
  expect(readArguments(words, {})).toEqual({ hasLocalChains: true });
  expect(readArguments(words, { EXCHANGE_ENV: "dev" })).toEqual({ hasLocalChains: true });
});

test.each([
  [["--chains", "mainnet"], '--chains must be local, not "mainnet".'],
  [["--chains", "Local"], '--chains must be local, not "Local".'],
  [["--chains"], '--chains must be local, not "".'],
  [["--chains="], '--chains must be local, not "".'],
  [["--chain", "local"], "There is no argument --chain."],
  [["local"], "There is no argument local."],
  [["--chains", "local", "--fresh"], "There is no argument --fresh."],
  [["--chains", "local", "--chains", "local"], "There is no argument --chains."],
  [["-h"], "takes one option: --chains local"],
])("%j is refused", (words, sentence) => {
  expect(() => readArguments(words, {})).toThrow(sentence);
});

test.each([
  [{ EXCHANGE_ENV: "prod" }, "EXCHANGE_ENV is prod"],
  [{ EXCHANGE_ENV: "staging" }, "EXCHANGE_ENV is staging"],
  [{ EXCHANGE_ENV: "production" }, "EXCHANGE_ENV is production"],
  [{ DATABASE_URL: "postgres://localhost/x" }, "Unset DATABASE_URL."],
  [{ EXCHANGE_RAILS_FILE: "rails.json" }, "Unset EXCHANGE_RAILS_FILE."],
])("local chains are refused with %j", (variables, sentence) => {
  expect(() => readArguments(["--chains", "local"], variables)).toThrow(sentence);
});

test("the node's port is a port", () => {
  expect(readNodePort({})).toBe(8545);
  expect(readNodePort({ ANVIL_PORT: "0" })).toBe(0);
  for (const text of ["x", "-1", "65536", "8545.5", " "]) {
    expect(() => readNodePort({ ANVIL_PORT: text })).toThrow("ANVIL_PORT must be a whole number");
  }
});
