import type { CheckoutOptions } from "@exchange/contract/frame";
import { expect, test } from "vitest";
import { openDraftStorage } from "./draft-storage.ts";

/** Returns what a page with these options reads after one with the options before stored its choices. */
function readAfter(before: CheckoutOptions, options: CheckoutOptions): string | undefined {
  const items = new Map<string, string>();
  const memory = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  } as Storage;
  const first = openDraftStorage(memory);
  first.openFor(before);
  first.write("the choices");
  const again = openDraftStorage(memory);
  again.openFor(options);
  return again.read();
}

const CART = { operationType: "B", baseCurrency: "eur", baseAmount: 100 } as const;

test("choices are kept when the page opens the checkout again with the same options", () => {
  expect(readAfter(CART, CART)).toBe("the choices");
  expect(readAfter({}, {})).toBe("the choices");
  expect(readAfter(CART, { baseAmount: 100, baseCurrency: "eur", operationType: "B" })).toBe(
    "the choices",
  );
});

test("choices do not replace what the page asks for now", () => {
  expect(readAfter(CART, { ...CART, baseAmount: 150 })).toBeUndefined();
  expect(readAfter(CART, { ...CART, walletAddress: "bc1q" })).toBeUndefined();
  expect(readAfter({}, CART)).toBeUndefined();
  expect(readAfter(CART, {})).toBeUndefined();
});

test("another language or look keeps the choices", () => {
  const look = { locale: "de", theme: "dark", appearance: { mode: "dark" } } as const;
  expect(readAfter(CART, { ...CART, ...look })).toBe("the choices");
});
