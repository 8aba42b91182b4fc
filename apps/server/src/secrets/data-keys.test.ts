import { expect, test } from "vitest";
import { createDataKeyBox } from "./data-keys.ts";
import { makeKeyLine, parseKeyRing } from "./key-ring.ts";
import { createSecretBox } from "./secret-box.ts";

const oldLine = makeKeyLine("k1");

function boxOf(lines: string, environment = "staging") {
  const ring = parseKeyRing(lines);
  return createDataKeyBox(createSecretBox(ring, environment), ring, environment);
}

const box = boxOf(oldLine);
const key = box.makeDataKey("data_keys:m1:session:s1");

test("sealed personal data opens at its own place and shows nothing of its text", () => {
  const sealed = box.sealBy(key, "Ada Lovelace", "orders:1:personal");
  expect(box.openBy(key, sealed, "orders:1:personal")).toBe("Ada Lovelace");
  expect(Buffer.from(sealed).includes("Ada")).toBe(false);
});

test("moved, changed or truncated personal data does not open", () => {
  const sealed = box.sealBy(key, "Ada", "orders:1:personal");
  expect(() => box.openBy(key, sealed, "orders:2:personal")).toThrow();
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.openBy(key, changed, "orders:1:personal")).toThrow();
    expect(() => box.openBy(key, sealed.subarray(0, index), "orders:1:personal")).toThrow();
  }
});

test("a data key opens for its own row and environment only, and for no other customer", () => {
  const sealed = box.sealBy(key, "Ada", "orders:1:personal");
  const open = (other: typeof key, from = box) => from.openBy(other, sealed, "orders:1:personal");
  expect(() => open({ ...key, boundTo: "data_keys:m1:session:s2" })).toThrow();
  expect(() => open(box.makeDataKey(key.boundTo))).toThrow();
  expect(() => open(key, boxOf(oldLine, "prod"))).toThrow();
});

test("after a roll old keys open, and the old digest is still among the digests", () => {
  const rolled = boxOf(makeKeyLine("k2") + oldLine);
  const sealed = box.sealBy(key, "Ada", "orders:1:personal");
  expect(rolled.openBy(key, sealed, "orders:1:personal")).toBe("Ada");
  const [current, old] = rolled.digests("ada@example.com");
  expect(box.digests("ada@example.com")).toEqual([old]);
  expect(current).not.toEqual(old);
  expect(box.digests("bob@example.com")).not.toEqual([old]);
});
