import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createExchange } from "./exchange.ts";
import { overlay, readOptions } from "./options.ts";
import { panelTexts } from "./panel-texts.ts";
import type { ScriptConfig } from "./script-config.ts";

const SCRIPT: ScriptConfig = {
  sdkVersion: "0.1.0",
  environment: "dev",
  checkoutUrl: "http://localhost:8080/checkout",
  texts: panelTexts("en", "Demo"),
  options: { clientId: "client_dev_1", env: "dev" },
};
const NAMED = { clientId: "client_dev_1", env: "dev" };

const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
beforeEach(() => {
  warn.mockClear();
});
afterAll(() => warn.mockRestore());

test.each([
  ["nothing", undefined],
  ["text", "eur"],
  ["a list", []],
  ["no client", { env: "dev" }],
  ["no environment", { clientId: "client_dev_1" }],
  ["another client", { clientId: "client_dev_2", env: "dev" }],
  ["another environment", { clientId: "client_dev_1", env: "prod" }],
  ["an amount of 0", { ...NAMED, baseAmount: 0 }],
  ["a negative amount", { ...NAMED, baseAmount: -1 }],
  ["an amount that is text", { ...NAMED, baseAmount: "100" }],
  ["an amount without end", { ...NAMED, targetAmount: Number.POSITIVE_INFINITY }],
  ["no number", { ...NAMED, targetAmount: Number.NaN }],
  ["an empty currency", { ...NAMED, baseCurrency: "" }],
  ["a currency that is null", { ...NAMED, baseCurrency: null }],
  ["an unknown operation", { ...NAMED, operationType: "X" }],
  ["a word that is not an operation", { ...NAMED, operationType: "purchase" }],
  ["an appearance that is a word", { ...NAMED, appearance: "dark" }],
  ["an unknown theme", { ...NAMED, theme: "neon" }],
  ["an unknown display", { ...NAMED, display: "tab" }],
  ["a callback that is not a function", { ...NAMED, onExit: "goodbye" }],
])("configure refuses %s with invalid_options", (_name, options) => {
  expect(() => createExchange(SCRIPT).configure(options as never)).toThrow(
    expect.objectContaining({ name: "ExchangeError", code: "invalid_options", recoverable: false }),
  );
});

test.each([
  ["no options", undefined],
  ["no token", {}],
  ["an empty token", { authenticationToken: "" }],
  ["a token that is null", { authenticationToken: null }],
  ["a token that is a number", { authenticationToken: 7 }],
])("init refuses %s with invalid_options", (_name, options) => {
  expect(() => createExchange(SCRIPT).init(options as never)).toThrow(
    expect.objectContaining({ code: "invalid_options" }),
  );
});

test("init takes a token, a promise of one and a function that gives one", () => {
  for (const authenticationToken of ["e.y.J", Promise.resolve("e.y.J"), () => "e.y.J"]) {
    expect(readOptions("init", { authenticationToken })).toEqual({ authenticationToken });
  }
});

test.each(["B", "S", "CC", "FF", "buy", "sell", "swap", "transfer"])(
  "%s names an operation",
  (operationType) => {
    expect(readOptions("configure", { operationType })).toEqual({ operationType });
  },
);

test("an unknown option is reported and left out", () => {
  const options = { ...NAMED, baseCurency: "eur", constructor: "x" };
  expect(readOptions("configure", options)).toEqual(NAMED);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls[0]?.[0]).toContain("baseCurency");
});

test("an option that is undefined is one left out", () => {
  expect(readOptions("configure", { ...NAMED, baseCurrency: undefined })).toEqual(NAMED);
});

test("of two amounts in one call baseAmount wins, with a warning", () => {
  const options = readOptions("configure", { baseAmount: 100, targetAmount: 1 });
  expect(options).toEqual({ baseAmount: 100 });
  expect(warn).toHaveBeenCalledOnce();
});

test("an amount of a later call displaces both amounts of an earlier one", () => {
  expect(overlay({ baseAmount: 100, baseCurrency: "eur" }, { targetAmount: 1 })).toEqual({
    targetAmount: 1,
    baseCurrency: "eur",
  });
  expect(overlay({ baseAmount: 100 }, { locale: "de" })).toEqual({ baseAmount: 100, locale: "de" });
});

test("a pinned script needs the client id before it opens, and accepts it once", () => {
  const { options: _options, ...pinned } = SCRIPT;
  const exchange = createExchange({ ...pinned, options: {} });
  expect(() => exchange.init({ authenticationToken: "e.y.J" })).toThrow(
    expect.objectContaining({ code: "not_configured", recoverable: true }),
  );
  exchange.configure({ clientId: "client_dev_1", env: "dev" });
  expect(() => exchange.configure({ clientId: "client_dev_2", env: "dev" })).toThrow(
    expect.objectContaining({ code: "invalid_options" }),
  );
});
