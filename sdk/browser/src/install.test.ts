import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { ExchangeApi } from "./exchange-api.ts";
import { install } from "./install.ts";
import { panelTexts } from "./panel-texts.ts";
import type { ScriptConfig } from "./script-config.ts";

const SCRIPT: ScriptConfig = {
  sdkVersion: "0.1.0",
  environment: "dev",
  checkoutUrl: "http://localhost:8080/checkout",
  texts: panelTexts("en", "Demo"),
  options: { clientId: "client_dev_1", env: "dev" },
};

const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
const error = vi.fn();
vi.stubGlobal("reportError", error);
vi.stubGlobal("addEventListener", () => {});
beforeEach(() => {
  warn.mockClear();
  error.mockClear();
});
afterAll(() => {
  warn.mockRestore();
  vi.unstubAllGlobals();
});

test("the script puts an idle, frozen exchange on the window", () => {
  const host: { exchange?: unknown } = {};
  install(host, SCRIPT);
  expect(host.exchange).toMatchObject({ version: "0.1.0", state: "idle" });
  expect(Object.isFrozen(host.exchange)).toBe(true);
});

test("a second copy of the same script leaves the first in place without a word", () => {
  const host: { exchange?: unknown } = {};
  install(host, SCRIPT);
  const first = host.exchange;
  install(host, { ...SCRIPT, options: { ...SCRIPT.options, baseAmount: 100 } });
  expect(host.exchange).toBe(first);
  expect(warn).not.toHaveBeenCalled();
});

test.each<[string, ScriptConfig]>([
  ["client", { ...SCRIPT, options: { ...SCRIPT.options, clientId: "client_dev_2" } }],
  ["environment", { ...SCRIPT, environment: "staging" }],
])("a second copy for another %s keeps the first and warns", (_name, other) => {
  const host: { exchange?: unknown } = {};
  install(host, SCRIPT);
  const first = host.exchange;
  install(host, other);
  expect(host.exchange).toBe(first);
  expect(warn).toHaveBeenCalledOnce();
});

test("queued calls of the page are replayed, and one that throws does not stop the others", () => {
  const seen: string[] = [];
  const host: { exchange?: unknown } = {
    exchange: {
      q: [
        ["configure", [{ clientId: "somebody else", env: "dev" }]],
        ["on", ["*", () => seen.push("heard")]],
        ["configure", [{ clientId: "client_dev_1", env: "dev" }]],
        ["nothing", []],
      ],
    },
  };
  install(host, SCRIPT);
  expect(error).toHaveBeenCalledOnce();
  expect((host.exchange as ExchangeApi).state).toBe("idle");
});

test("an element of the page with the id exchange is not an obstacle", () => {
  const host: { exchange?: unknown } = { exchange: { nodeName: "DIV" } };
  install(host, SCRIPT);
  expect((host.exchange as ExchangeApi).version).toBe("0.1.0");
});

test("a listener that is not a function is refused at once", () => {
  const host: { exchange?: unknown } = {};
  install(host, SCRIPT);
  const api = host.exchange as ExchangeApi;
  expect(() => api.on("open", "x" as never)).toThrow(
    expect.objectContaining({ code: "invalid_options" }),
  );
});
