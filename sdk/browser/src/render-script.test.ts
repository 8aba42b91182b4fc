import { readFileSync } from "node:fs";
import { createContext, Script } from "node:vm";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { panelTexts } from "./panel-texts.ts";
import { renderScript } from "./render-script.ts";
import type { ScriptConfig } from "./script-config.ts";

const BUILT = readFileSync(new URL("../dist/exchange.template.js", import.meta.url), "utf8");
const ECHO = 'window.exchange = JSON.parse("__EXCHANGE_CONFIG__");';

const config = (text: string, amount = 100): ScriptConfig => ({
  sdkVersion: "0.1.0",
  environment: "dev",
  checkoutUrl: "http://localhost:8080/checkout",
  texts: panelTexts("en", text),
  options: { clientId: text, env: "dev", walletAddress: text, baseAmount: amount },
});

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!--",
  "-->",
  "]]>",
  '"',
  "'",
  "`${alert(1)}`",
  "\\",
  '\\"',
  "\u2028\u2029",
  "\ud800",
  "\udfff\ud800",
  "\0",
  "$&$`$'$1",
  "__EXCHANGE_CONFIG__",
  '{"__proto__":{"polluted":true}}',
  "\n\r",
];

const anyUnits = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
const anyText = fc
  .array(fc.oneof(anyUnits, fc.constantFrom(...HOSTILE)), { maxLength: 4 })
  .map((parts) => parts.join(""));

/** Runs a script as a page would and returns its window. All runs share one realm. */
const makePage = () => {
  const context = createContext({});
  new Script("var window = globalThis; var addEventListener = () => {};").runInContext(context);
  const before = new Set(Object.keys(context));
  return (source: string): Record<string, unknown> => {
    new Script("delete window.exchange").runInContext(context);
    new Script(source).runInContext(context);
    return Object.fromEntries(Object.entries(context).filter(([name]) => !before.has(name)));
  };
};

test("10,000 configurations come back from the script exactly, and define nothing but exchange", () => {
  const run = makePage();
  fc.assert(
    fc.property(anyText, fc.double({ noNaN: true, noDefaultInfinity: true }), (text, amount) => {
      const source = renderScript(ECHO, config(text, amount));
      const globals = run(source);
      expect(Object.keys(globals)).toEqual(["exchange"]);
      // -0 has no JSON; everything else must survive to the last bit and unit.
      const echoed = JSON.parse(JSON.stringify(globals["exchange"])) as unknown;
      expect(echoed).toEqual(JSON.parse(JSON.stringify(config(text, amount))));
      expect((globals["exchange"] as ScriptConfig).texts).toEqual(panelTexts("en", text));
    }),
    { numRuns: 10_000 },
  );
});

test("whatever the configuration holds, only ASCII that is inert in HTML and JavaScript is added", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const [, literal] = /^window\.exchange = JSON\.parse\((.*)\);$/s.exec(
        renderScript(ECHO, config(text)),
      ) ?? [undefined, ""];
      expect(literal).toMatch(/^"(?:[A-Za-z0-9 _.,:{}[\]-]|\\u[0-9a-f]{4})*"$/);
    }),
    { numRuns: 2_000 },
  );
});

test("the built script runs with hostile values and defines nothing but exchange", () => {
  const run = makePage();
  for (const text of HOSTILE) {
    const globals = run(renderScript(BUILT, config(text)));
    expect(Object.keys(globals)).toEqual(["exchange"]);
    expect((globals["exchange"] as { version: string }).version).toBe("0.1.0");
  }
});

test("a template without the placeholder, or with two, is refused", () => {
  expect(() => renderScript("window.exchange = {}", config("shop"))).toThrow("exactly once");
  expect(() => renderScript(ECHO + ECHO, config("shop"))).toThrow("exactly once");
});

test("the built script holds no module syntax and stays within 5.0 kB gzip", () => {
  expect(BUILT).not.toMatch(/\b(?:import|export)\b[ {(]/);
  expect(BUILT).not.toMatch(/\beval\b|new Function|innerHTML|document\.write/);
  expect(gzipSync(BUILT, { level: 9 }).byteLength).toBeLessThanOrEqual(5_000);
});
