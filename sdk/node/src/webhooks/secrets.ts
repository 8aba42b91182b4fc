/** A webhook secret with the keys of both signatures. */
export interface SecretKeys {
  /** The documented signature's key: the whole text as UTF-8. */
  readonly documented: Uint8Array;
  /** The Standard Webhooks signature's key: the decoded base64. */
  readonly standard: Uint8Array;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const KEY_BYTES_MIN = 16;
const SECRETS_MAX = 10;

/** Reads one secret, or several during a rotation. Throws a TypeError that repeats no secret. */
export function readSecrets(secret: string | readonly string[]): readonly SecretKeys[] {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.length > SECRETS_MAX) {
    throw new TypeError(`Pass the endpoint's webhook secret, or a list of 1 to ${SECRETS_MAX}.`);
  }
  return secrets.map(readSecret);
}

function readSecret(secret: unknown): SecretKeys {
  const text = typeof secret === "string" ? (SECRET.exec(secret)?.[1] ?? "") : "";
  const standard = Buffer.from(text, "base64");
  if (standard.length < KEY_BYTES_MIN || standard.toString("base64") !== text) {
    throw new TypeError(
      "A webhook secret must be whsec_ and base64, without white space around it.",
    );
  }
  return { documented: Buffer.from(String(secret), "utf8"), standard };
}
