import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isPrivateFile, privateFileWords } from "./private-file.ts";

const LINE = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** One secret key of the installation. Use `deriveKey`, never its bytes. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The installation's secret keys. The first one seals and signs. All of them open and verify. */
export interface KeyRing {
  readonly current: SecretKey;
  readonly keys: ReadonlyMap<string, SecretKey>;
}

/** Parses lines of `<key id>:<32 bytes in base64>`. Skips empty lines and lines that begin with #. */
export function parseKeyRing(text: string): KeyRing {
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#")).map(parseLine);
  const [current] = keys;
  if (current === undefined) throw new Error("it holds no key");
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (byId.size !== keys.length) throw new Error("two of its lines have the same key id");
  return { current, keys: byId };
}

function parseLine(line: string, index: number): SecretKey {
  const match = LINE.exec(line);
  const [, id, base64] = match ?? [];
  if (id === undefined || base64 === undefined) {
    throw new Error(`key ${index + 1} is not of the form <key id>:<32 bytes in base64>`);
  }
  return { id, bytes: Buffer.from(base64, "base64") };
}

/** Reads the secret keys file, which must be private. */
export function readKeyRing(path: string): KeyRing {
  const stats = statSync(path);
  if (stats.isDirectory())
    throw new Error(`${path} is a folder, and the secret keys are in a file.`);
  if (!isPrivateFile(stats)) throw new Error(privateFileWords(path));
  const text = readFileSync(path, "utf8");
  try {
    return parseKeyRing(text);
  } catch (error) {
    throw new Error(`${path} is not a secret keys file: ${(error as Error).message}.`);
  }
}

export const makeKeyLine = (id: string): string => `${id}:${randomBytes(32).toString("base64")}\n`;

/**
 * Creates the file with one new key if it does not exist. For `dev` only: elsewhere the operator creates
 * it. The file appears whole, and of two processes that create it at once one wins.
 */
export function ensureKeyFile(path: string): void {
  if (existsSync(path)) return;
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, makeKeyLine("k1"), { mode: 0o600 });
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Derives a key for one purpose in one environment (HKDF, RFC 5869). No two purposes share a key. */
export function deriveKey(key: SecretKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key.bytes, "", `exchange|${purpose}`, 32));
}

/** Digits enough to tell two keys apart. They do not help to find a key of 256 bits. */
const CHECK_BYTES = 8;

/** Returns a value that changes with the key's bytes, in hexadecimal digits. It differs between installations. */
export const checkValueOf = (key: SecretKey, installation: string): string =>
  createHmac("sha256", deriveKey(key, "key-check"))
    .update(installation)
    .digest()
    .subarray(0, CHECK_BYTES)
    .toString("hex");
