import { Secret, TOTP } from "otpauth";

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** A code of the step before or after is accepted: the clocks of phones differ. */
const WINDOW = 1;
const ISSUER = "Exchange console";

/** The secret of an authenticator app (RFC 6238), in base 32. */
export const makeAuthenticatorSecret = (bytes: (count: number) => Uint8Array): string =>
  new Secret({ buffer: Uint8Array.from(bytes(SECRET_BYTES)).buffer }).base32;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: ISSUER,
    label,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });

/** Returns the address that an authenticator app reads from a QR code. */
export const authenticatorUri = (secret: string, email: string): string =>
  totpOf(secret, email).toString();

/** Returns the step of a right code, so that it is accepted once; undefined for a wrong code. */
export function stepOfCode(secret: string, code: string, now: Date): bigint | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const timestamp = now.getTime();
  const delta = totpOf(secret, "").validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : BigInt(TOTP.counter({ timestamp }) + delta);
}
