import { expect, test } from "vitest";
import { makeKeyLine, parseKeyRing } from "./key-ring.ts";
import { boundTo, createSecretBox } from "./secret-box.ts";

const oldLine = makeKeyLine("k1");
const box = createSecretBox(parseKeyRing(oldLine));
const place = boundTo({ table: "endpoints", merchantId: "m1", row: "e1", column: "secret" });

test("a sealed secret opens at its own place and shows nothing of its text", () => {
  const sealed = box.seal("whsec_geheim", place);
  expect(box.open(sealed, place)).toBe("whsec_geheim");
  expect(Buffer.from(sealed).includes("geheim")).toBe(false);
});

test("the same secret sealed twice gives two ciphertexts", () => {
  expect(box.seal("s", place)).not.toEqual(box.seal("s", place));
});

test("a sealed secret moved to another row, merchant, table or column does not open", () => {
  const sealed = box.seal("s", place);
  for (const part of ["endpoints", "m1", "e1", "secret"]) {
    expect(() => box.open(sealed, place.replace(part, "other"))).toThrow();
  }
});

test("a sealed secret with any byte changed does not open", () => {
  const sealed = box.seal("s", place);
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.open(changed, place)).toThrow();
  }
});

test("a truncated sealed secret does not open", () => {
  const sealed = box.seal("s", place);
  for (let length = 0; length < sealed.length; length++) {
    expect(() => box.open(sealed.subarray(0, length), place)).toThrow();
  }
});

test("after a roll the new first key seals and the old one still opens", () => {
  const rolled = createSecretBox(parseKeyRing(makeKeyLine("k2") + oldLine));
  expect(rolled.open(box.seal("old", place), place)).toBe("old");
  expect(() => box.open(rolled.seal("new", place), place)).toThrow("k2");
});
