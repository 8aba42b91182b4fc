import { expect, test } from "vitest";
import { identifierFaults } from "./names.mjs";
import { checkRatchets } from "./ratchets.mjs";

test.each([
  ["a variable", "const asked = [];"],
  ["a function", "function told() {}"],
  ["a class", "class kept {}"],
  ["an import", 'import { requests as asked } from "./a.ts";'],
  ["a parameter", "const read = (known: string) => 1;"],
  ["a parameter with a default", "function read(known = 1) {}"],
  ["a parameter of a function's type", "type Read = (known: string) => void;"],
  ["a parameter of a type's method", "interface A { read(known: string): void }"],
  ["a parameter of a method", "class A { read(known: string) {} }"],
  ["a parameter that is a member too", "class A { constructor(private kept: string) {} }"],
  ["the parameter of a handler", "try { f(); } catch (told) {}"],
  ["a destructured member", "const { told } = row;"],
  ["a destructured member with a default", "const { told = 1 } = row;"],
  ["a destructured member under another name", "const { members: told } = row;"],
  ["a member deep in a pattern", "for (const { a: [, { told }] } of rows) f();"],
  ["an element", "const [first, kept] = list;"],
  ["the rest of a pattern", "const { plan, ...kept } = payout;"],
  ["a member of a type", "interface Row { readonly asked: boolean }"],
  ["a method of a type", "interface Row { asked(): number }"],
  ["a member of a class", "class A { readonly kept = 2; }"],
  ["a private member of a class", "class A { #known = 1; }"],
])("%s whose name does not say what it holds is a fault: %s", (_title, text) => {
  const faults = identifierFaults("a.ts", `let x;\n${text}`);
  expect(faults).toEqual([
    expect.stringMatching(/^a\.ts:2: "\w+" does not say what it holds; use a noun/),
  ]);
});

test.each([
  ["a noun", "const requests = []; const askedAtMs = 1; const isKnown = 2;"],
  ["a comment", "// It was asked, and `told` is kept.\nlet x;"],
  ["a text", 'const x = "asked";'],
  [
    "a member of another's object",
    "send({ known: x.known }); const { known: properties } = schema;",
  ],
  ["a computed member", "const tree = { [a.kept]: 1 };"],
])("%s is accepted: %s", (_title, text) => {
  expect(identifierFaults("a.ts", text)).toEqual([]);
});

test("every source written by hand is read, and no other file", () => {
  const text = "export const asked = 1;";
  const files = ["a.ts", "b.tsx", "c.mjs", "d.js", "sdk/x/generated/e.ts", "f.d.ts", "g.md"];
  const faults = checkRatchets(files, () => text);
  expect(faults.map((fault) => fault.split(":")[0])).toEqual(["a.ts", "b.tsx", "c.mjs", "d.js"]);
});
