import { expect, test } from "vitest";
import { parameterFaults } from "./parameters.mjs";

test.each([
  ["a function", "function price(order: Order, isLate: boolean) {}"],
  ["a function without types", "function price(order, isLate = false) {}"],
  ["an arrow", "const price = (order: Order, isLate?: boolean) => 1;"],
  ["a method", "class A { price(order: Order, isLate = true) {} }"],
  ["a method of a type", "interface A { price(order: Order, isLate: boolean): void }"],
  [
    "a function with an absent value",
    "function price(order: Order, isLate: boolean | undefined) {}",
  ],
  ["a declared function", "declare function price(order: Order, isLate: boolean): void;"],
  ["a call of a type", "interface A { (order: Order, isLate: boolean): void }"],
  ["a function's type", "type Price = (order: Order, isLate: boolean) => void;"],
])("%s with a boolean beside another parameter is a fault", (_title, text) => {
  expect(parameterFaults("a.ts", `let x;\n${text}`)).toEqual([
    expect.stringMatching(/^a\.ts:2: "isLate" is a boolean parameter beside others/),
  ]);
});

test.each([
  ["a boolean alone is the subject", "const setPaused = (isPaused: boolean) => 1;"],
  ["a member has a name", "function price(order: Order, { isLate }: { isLate: boolean }) {}"],
  ["a value of several types", "const literal = (name: string, value: string | boolean) => 1;"],
  ["nothing but absence", "const price = (order: Order, none: undefined | null): boolean => true;"],
  ["a result", "const isLate = (order: Order, now: Date): boolean => true;"],
])("%s, so it is accepted", (_title, text) => {
  expect(parameterFaults("a.ts", text)).toEqual([]);
});
