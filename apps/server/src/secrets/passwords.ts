import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { argon2idAsync } from "@noble/hashes/argon2.js";
import { base32nopad, base64nopad } from "@scure/base";

/** OWASP's third choice of parameters for argon2id, with one lane: 12 MiB and three passes. */
const PARAMETERS = { m: 12_288, t: 3, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The time for which hashing may block other requests at once. */
const TICK_MS = 10;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Returns the hash of a password as PHC text, with its salt and parameters. */
export async function hashPassword(
  password: string,
  bytes: (count: number) => Uint8Array,
): Promise<string> {
  const salt = bytes(SALT_BYTES);
  const hash = await derive(password, { ...PARAMETERS, salt, dkLen: HASH_BYTES });
  const { m, t, p } = PARAMETERS;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${base64nopad.encode(salt)}$${base64nopad.encode(hash)}`;
}

/**
 * Returns whether the password has the hash. Without a hash it does the same work and returns false, so that the
 * time of an answer does not say whether an account exists.
 */
export async function checkPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const parts = PHC.exec(stored ?? "");
  if (parts === null) {
    await derive(password, { ...PARAMETERS, salt: new Uint8Array(SALT_BYTES), dkLen: HASH_BYTES });
    return false;
  }
  const [, m, t, p, salt = "", hash = ""] = parts;
  const expected = base64nopad.decode(hash);
  const options = { m: Number(m), t: Number(t), p: Number(p), salt: base64nopad.decode(salt) };
  const found = await derive(password, { ...options, dkLen: expected.length });
  return timingSafeEqual(found, expected);
}

const derive = (
  password: string,
  {
    salt,
    ...options
  }: { readonly m: number; readonly t: number; readonly p: number } & {
    readonly dkLen: number;
    readonly salt: Uint8Array;
  },
): Promise<Uint8Array> =>
  argon2idAsync(password.normalize("NFKC"), salt, { ...options, asyncTick: TICK_MS });

const LINK_TOKEN_BYTES = 32;

/** A random secret of a link or a cookie. */
export const makeLinkToken = (bytes: (count: number) => Uint8Array): string =>
  Buffer.from(bytes(LINK_TOKEN_BYTES)).toString("base64url");

/** Returns the stored form of a random secret. It has too many bits to be guessed from its hash. */
export const hashToken = (token: string): Uint8Array =>
  createHash("sha256").update(token, "utf8").digest();

/** Derives a further secret of 256 bits from a random one. It says nothing about the first or about others. */
export const deriveFromToken = (token: string, purpose: string): string =>
  createHmac("sha256", token).update(purpose, "utf8").digest("base64url");

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** Makes recovery codes such as `k7ts-mfqa-3w2x-yoe6`, of 80 random bits each. */
export const makeRecoveryCodes = (bytes: (count: number) => Uint8Array): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    (base32nopad.encode(bytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g) ?? []).join("-"),
  );

/** Returns the stored form of a recovery code. Spaces, hyphens and letter case do not matter. */
export const hashRecoveryCode = (code: string): Uint8Array =>
  hashToken(code.toLowerCase().replaceAll(/[\s-]/g, ""));
