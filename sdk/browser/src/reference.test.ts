import { readFileSync } from "node:fs";
import { CHECKOUT_EVENTS } from "@exchange/contract/frame";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const REFERENCE = read("../../../docs/reference/browser-script.md");
const TYPES = read("../dist/page/exchange.d.ts");

/** The text between a heading and the next. */
const section = (title: string): string =>
  REFERENCE.split(/^## /m).find((part) => part.startsWith(title)) ?? "";
const wordsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/`(\w+)`/g), ([, word = ""]) => word));

test("the reference names every event", () => {
  const [, list = ""] = section("Events").split("\n\n").slice(1);
  expect(wordsIn(list)).toEqual(new Set([...CHECKOUT_EVENTS, "open", "close", "result"]));
});

test("the reference lists exactly the error codes there are", () => {
  const [, union = ""] = /type ExchangeErrorCode =([^;]*);/.exec(TYPES) ?? [];
  const codes = new Set(Array.from(union.matchAll(/"(\w+)"/g), ([, code = ""]) => code));
  const listed = Array.from(section("Errors").matchAll(/^\| (`[^|]*`) \|/gm), ([, cell]) => cell);
  expect(wordsIn(listed.join(" "))).toEqual(codes);
});

test("the reference lists exactly the options there are", () => {
  const options = section("Calls").split("| Option |")[1] ?? "";
  const listed = Array.from(options.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell]) => cell);
  const names = wordsIn(listed.join(" ").replaceAll(/\([^)]*\)/g, ""));
  const declared = ["OpenOptions", "Callbacks", "CheckoutOptions"].flatMap((name) => {
    const [, body = ""] = new RegExp(`interface ${name} [^{]*\\{([^}]*)\\}`).exec(TYPES) ?? [];
    return Array.from(body.matchAll(/readonly (\w+)\?:/g), ([, option = ""]) => option);
  });
  expect(names).toEqual(new Set(declared));
});
