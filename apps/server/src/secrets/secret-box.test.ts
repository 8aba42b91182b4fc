import { expect, test } from "vitest";
import { makeKeyLine, parseKeyRing } from "./key-ring.ts";
import { boundTo, createSecretBox } from "./secret-box.ts";

const oldLine = makeKeyLine("k1");
const box = createSecretBox(parseKeyRing(oldLine), "staging");
const SEALED_BY_FORMAT_1 = "AQJrMUmDy6hPylkHOg9AMz6VCam6DLjyx/bxeHJQyRe3cgnNIbpkEkX32gw=";
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
  const rolled = createSecretBox(parseKeyRing(makeKeyLine("k2") + oldLine), "staging");
  expect(rolled.open(box.seal("old", place), place)).toBe("old");
  expect(() => box.open(rolled.seal("new", place), place)).toThrow("k2");
});

test("a secret sealed in one environment does not open in another, with the same keys", () => {
  const prod = createSecretBox(parseKeyRing(oldLine), "prod");
  expect(() => prod.open(box.seal("s", place), place)).toThrow();
  expect(prod.open(prod.seal("s", place), place)).toBe("s");
});

test("a secret that an earlier version sealed still opens, and a secret is not sealed so again", () => {
  const ring = parseKeyRing(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
  // Sealed by the version before keys were bound to environments.
  const earlier = Buffer.from(SEALED_BY_FORMAT_1, "base64");
  for (const environment of ["dev", "staging", "prod"]) {
    const current = createSecretBox(ring, environment);
    expect(current.open(earlier, place)).toBe("whsec_geheim");
    expect(current.seal("s", place)[0]).toBe(2);
  }
  const relabelled = Buffer.from(earlier);
  relabelled[0] = 2;
  expect(() => createSecretBox(ring, "prod").open(relabelled, place)).toThrow();
});
