import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { IdSource } from "../domain/ports/id-source.ts";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// <prefix>_<environment>_<key id>_<secret><checksum>. Secret scanners find the prefix. The checksum tells a typing
// error from a wrong key without a look-up.
const FORM = /^(exk|exs)_(dev|staging|prod)_([a-z2-7]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** `exk` begins the API keys of merchants, and `exs` the keys of service accounts. */
export type KeyPrefix = "exk" | "exs";

export interface NewApiKey {
  readonly id: string;
  /** The key itself. It is shown once and never stored. */
  readonly text: string;
  readonly digest: Uint8Array;
}

export interface PresentedApiKey {
  readonly environment: "dev" | "staging" | "prod";
  readonly keyId: string;
  readonly digest: Uint8Array;
}

export function makeApiKey(
  environment: string,
  ids: IdSource,
  prefix: KeyPrefix = "exk",
): NewApiKey {
  const id = toBase32(ids.bytes(8), 12);
  const body = `${prefix}_${environment}_${id}_${toBase62(ids.bytes(32), 43)}`;
  const text = body + checksum(body);
  return { id, text, digest: digestApiKey(text) };
}

/** Returns undefined for text that is not a key with the prefix. Compare the digest by `digestsMatch`. */
export function parseApiKey(text: string, prefix: KeyPrefix = "exk"): PresentedApiKey | undefined {
  const match = FORM.exec(text);
  if (match === null || match[1] !== prefix) return undefined;
  if (checksum(text.slice(0, -6)) !== text.slice(-6)) return undefined;
  return {
    environment: match[2] as PresentedApiKey["environment"],
    keyId: match[3] as string,
    digest: digestApiKey(text),
  };
}

export const digestApiKey = (text: string): Uint8Array => hash("sha256", text, "buffer");

/** Compares in constant time. */
export const digestsMatch = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

const checksum = (body: string): string => numberToBase62(crc32(body), 6);

/** Returns a new client id of a merchant. It is public, so it only has to be unique. */
export const makeClientId = (environment: string, ids: IdSource): string =>
  `client_${environment}_${toBase32(ids.bytes(10), 16).toUpperCase()}`;

/** Returns the leading bits of the bytes in lower-case base32, `characters` long. */
function toBase32(bytes: Uint8Array, characters: number): string {
  const bits = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const excess = BigInt(bytes.length * 8 - characters * 5);
  return digits(bits >> excess, { alphabet: BASE32, characters });
}

/** Returns the bytes as one base62 number, padded to `characters`. */
function toBase62(bytes: Uint8Array, characters: number): string {
  const value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  return digits(value, { alphabet: BASE62, characters });
}

/** Returns a number below 2^53 in base62, padded to `characters`. */
function numberToBase62(value: number, characters: number): string {
  let text = "";
  for (let rest = value; text.length < characters; rest = Math.floor(rest / 62)) {
    text = BASE62.charAt(rest % 62) + text;
  }
  return text;
}

function digits(
  value: bigint,
  form: { readonly alphabet: string; readonly characters: number },
): string {
  const base = BigInt(form.alphabet.length);
  let text = "";
  for (let rest = value; text.length < form.characters; rest /= base) {
    text = form.alphabet.charAt(Number(rest % base)) + text;
  }
  return text;
}
