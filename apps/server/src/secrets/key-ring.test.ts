import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deriveKey, ensureKeyFile, makeKeyLine, parseKeyRing, readKeyRing } from "./key-ring.ts";

const makeFolder = () => mkdtempSync(join(tmpdir(), "exchange-keys-"));

test("the first line of a secret keys file is the current key", () => {
  const ring = parseKeyRing(`# rolled in May\n${makeKeyLine("k2")}\n${makeKeyLine("k1")}`);
  expect(ring.current.id).toBe("k2");
  expect([...ring.keys.keys()]).toEqual(["k2", "k1"]);
});

test("a file without keys, with a short key, or with one id twice is refused", () => {
  expect(() => parseKeyRing("\n# nothing\n")).toThrow("no key");
  expect(() => parseKeyRing("k1:c2hvcnQ=")).toThrow("key 1");
  expect(() => parseKeyRing(makeKeyLine("k1") + makeKeyLine("k1"))).toThrow("same key id");
});

test("a secret keys file that others can read is refused with the command that mends it", () => {
  const path = join(makeFolder(), "keys");
  writeFileSync(path, makeKeyLine("k1"));
  chmodSync(path, 0o644);
  expect(() => readKeyRing(path)).toThrow(`chmod 600 ${path}`);
});

test("a made secret keys file is its owner's alone and is never written over", () => {
  const path = join(makeFolder(), "keys");
  ensureKeyFile(path);
  const first = readFileSync(path, "utf8");
  ensureKeyFile(path);
  expect(readFileSync(path, "utf8")).toBe(first);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readKeyRing(path).current.id).toBe("k1");
});

test("each purpose has a key of its own, the same every time", () => {
  const { current } = parseKeyRing(makeKeyLine("k1"));
  expect(deriveKey(current, "a")).toEqual(deriveKey(current, "a"));
  expect(deriveKey(current, "a")).not.toEqual(deriveKey(current, "b"));
  expect(deriveKey(current, "a")).not.toEqual(Buffer.from(current.bytes));
});
