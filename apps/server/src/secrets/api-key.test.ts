import { expect, test } from "vitest";
import { digestsMatch, makeApiKey, makeClientId, parseApiKey } from "./api-key.ts";
import { randomIds } from "./random-ids.ts";

test("a new API key names its environment and is read back with the same id and digest", () => {
  const key = makeApiKey("staging", randomIds);
  expect(key.text).toMatch(/^exk_staging_[a-z2-7]{12}_[0-9A-Za-z]{49}$/);
  const parsed = parseApiKey(key.text);
  expect(parsed).toEqual({ environment: "staging", keyId: key.id, digest: key.digest });
});

test("a typing error in any one character of an API key is noticed before any look-up", () => {
  const { text } = makeApiKey("dev", randomIds);
  for (let index = 0; index < text.length; index++) {
    const other = text[index] === "x" ? "y" : "x";
    expect(parseApiKey(text.slice(0, index) + other + text.slice(index + 1))).toBeUndefined();
  }
});

test("text that is longer, shorter or padded is not an API key", () => {
  const { text } = makeApiKey("dev", randomIds);
  for (const wrong of ["", text.slice(1), `${text}0`, ` ${text}`, `${text}\n`]) {
    expect(parseApiKey(wrong)).toBeUndefined();
  }
});

test("the secret of an API key holds 256 bits, the highest and the lowest among them", () => {
  const ones = makeApiKey("dev", { ...randomIds, bytes: (n) => new Uint8Array(n).fill(255) });
  const zeros = makeApiKey("dev", { ...randomIds, bytes: (n) => new Uint8Array(n) });
  expect(ones.text.slice(21, 64)).not.toMatch(/^0/);
  expect(zeros.text.slice(21, 64)).toBe("0".repeat(43));
});

test("digests match only when every byte does", () => {
  const { digest } = makeApiKey("dev", randomIds);
  const changed = Uint8Array.from(digest);
  changed[31] = (changed[31] ?? 0) ^ 1;
  expect(digestsMatch(digest, Uint8Array.from(digest))).toBe(true);
  expect(digestsMatch(digest, changed)).toBe(false);
  expect(digestsMatch(digest, digest.slice(1))).toBe(false);
});

test("a client id carries its environment and 80 random bits", () => {
  expect(makeClientId("prod", randomIds)).toMatch(/^client_prod_[A-Z2-7]{16}$/);
});
