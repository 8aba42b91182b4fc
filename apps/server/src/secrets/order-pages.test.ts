import { expect, test } from "vitest";
import { makeKeyLine, parseKeyRing } from "./key-ring.ts";
import { createOrderPages } from "./order-pages.ts";

const [first, second] = [makeKeyLine("k1"), makeKeyLine("k2")];
const pagesOf = (lines: string, environment = "dev") =>
  createOrderPages(parseKeyRing(lines), environment);
const ORDER = 1_000_123_456_789n;

test("a secret names its order, and is of no other order, key or environment", () => {
  const secret = pagesOf(first).secretOf(ORDER);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(pagesOf(first).orderOf(secret)).toBe(ORDER);
  expect(pagesOf(first).secretOf(ORDER)).toBe(secret);
  expect(pagesOf(first).secretOf(ORDER + 1n)).not.toBe(secret);
  expect(pagesOf(second).orderOf(secret)).toBeUndefined();
  expect(pagesOf(first, "staging").orderOf(secret)).toBeUndefined();
});

test("a secret stays valid while its key is in the file, also behind a newer one", () => {
  const secret = pagesOf(first).secretOf(ORDER);
  const rolled = pagesOf(second + first);
  expect(rolled.orderOf(secret)).toBe(ORDER);
  expect(rolled.secretOf(ORDER)).toBe(pagesOf(second).secretOf(ORDER));
});

test("a change of any one character is refused, and so is any other text", () => {
  const pages = pagesOf(first);
  const secret = pages.secretOf(ORDER);
  for (let index = 0; index < secret.length; index += 1) {
    for (const other of ["A", "B", "_"]) {
      const changed = secret.slice(0, index) + other + secret.slice(index + 1);
      expect(pages.orderOf(changed)).toBe(changed === secret ? ORDER : undefined);
    }
  }
  for (const text of ["", "a.b.c", secret.slice(1), `${secret}A`, "A".repeat(43), "é".repeat(43)]) {
    expect(pages.orderOf(text)).toBeUndefined();
  }
});
