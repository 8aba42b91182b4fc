import { randomBytes } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { makeRepresentation } from "./representation.ts";

/** Reads the size of the window from the head of a brotli stream (RFC 7932, section 9.1). */
function windowBitsOf([first = 0]: Buffer): number {
  if ((first & 1) === 0) return 16;
  const high = (first >> 1) & 7;
  if (high !== 0) return 17 + high;
  const low = (first >> 4) & 7;
  return low === 0 ? 17 : 8 + low;
}

test.each([
  [600, 10],
  [11_000, 14],
  [300_000, 19],
])("%i bytes are compressed with a window of %i bits", (length, bits) => {
  const text = randomBytes(length / 2).toString("hex");
  const compressed = makeRepresentation(text, "text/plain").encoded("br");
  expect(windowBitsOf(compressed)).toBe(bits);
  expect(brotliDecompressSync(compressed).toString()).toBe(text);
});
