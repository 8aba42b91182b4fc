import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeHmac } from "./hmac.ts";

const byNode = (key: Uint8Array, text: string): string =>
  createHmac("sha256", key).update(text, "utf8").digest("hex");

// RFC 4231, sections 4.2 to 4.4, 4.7 and 4.8: keys shorter and longer than a block.
test.each([
  [
    Buffer.alloc(20, 0x0b),
    "Hi There",
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
  [
    Buffer.from("Jefe"),
    "what do ya want for nothing?",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  [
    Buffer.alloc(131, 0xaa),
    "Test Using Larger Than Block-Size Key - Hash Key First",
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    Buffer.alloc(131, 0xaa),
    "This is a test using a larger than block-size key and a larger than block-size data. " +
      "The key needs to be hashed before being used by the HMAC algorithm.",
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
])("agrees with the vectors of RFC 4231", (key, text, digest) => {
  expect(makeHmac(key)(text, "hex")).toBe(digest);
});

test("is what Node computes, for any key and any text, in any order", () => {
  const keys = [0, 1, 32, 50, 63, 64, 65, 200].map((length) => Buffer.alloc(length, length));
  const hmacs = keys.map(makeHmac);
  fc.assert(
    fc.property(
      fc.nat(keys.length - 1),
      fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: "grapheme" })),
      (which, text) => {
        expect(hmacs[which]?.(text, "hex")).toBe(byNode(keys[which] as Buffer, text));
      },
    ),
  );
});

test("a text that is longer than any before is signed whole, and so is a short one after it", () => {
  const key = Buffer.from("key");
  const hmac = makeHmac(key);
  for (const text of ["₿".repeat(50_000), "short", "a".repeat(200_000)]) {
    expect(hmac(text, "hex")).toBe(byNode(key, text));
  }
});

test("half of a surrogate pair is signed as Node signs it", () => {
  expect(makeHmac(Buffer.from("key"))("a\ud83d", "hex")).toBe(
    byNode(Buffer.from("key"), "a\ud83d"),
  );
});
