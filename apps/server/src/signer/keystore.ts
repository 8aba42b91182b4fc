import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { checkerOf } from "./schema-check.ts";
import { SignerError } from "./signer-error.ts";

/** A keystore holds a seed of the signer, or an operator's own key to approve with. */
export type KeystorePurpose = "hot" | "deposits" | "approver";

/** About half a second and 128 MB for each guess of a passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
const MEMORY_BYTES_MAX = 2 ** 28;
const PASSPHRASE_CHARACTERS_MIN = 12;

const Base64 = (bytes: number) =>
  Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", maxLength: Math.ceil(bytes / 3) * 4 });

const KeystoreFile = Type.Object(
  {
    head: Type.Object(
      {
        format: Type.Literal("exchange-keystore/1"),
        purpose: Type.String(),
        kdf: Type.Literal("scrypt"),
        N: Type.Literal(SCRYPT.N),
        r: Type.Literal(SCRYPT.r),
        p: Type.Literal(SCRYPT.p),
        salt: Base64(16),
        nonce: Base64(12),
      },
      { additionalProperties: false },
    ),
    sealed: Base64(256),
    tag: Base64(16),
  },
  { additionalProperties: false },
);
type KeystoreFile = Static<typeof KeystoreFile>;
const checkKeystore = checkerOf(KeystoreFile, "keystore");

/**
 * Returns the keystore's text: the secret under scrypt and AES-256-GCM. The head is authenticated with it,
 * so nobody can swap two keystores or weaken the key derivation.
 */
export function sealKeystore(
  purpose: KeystorePurpose,
  secret: Uint8Array,
  passphrase: string,
): string {
  if (passphrase.length < PASSPHRASE_CHARACTERS_MIN) {
    throw new SignerError(
      `The passphrase is too short. It needs at least ${PASSPHRASE_CHARACTERS_MIN} characters.`,
    );
  }
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const head: KeystoreFile["head"] = {
    format: "exchange-keystore/1",
    purpose,
    kdf: "scrypt",
    ...SCRYPT,
    salt: salt.toString("base64"),
    nonce: nonce.toString("base64"),
  };
  const cipher = createCipheriv("aes-256-gcm", deriveKey(passphrase, salt), nonce);
  cipher.setAAD(authenticated(head));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()]).toString("base64");
  const file = { head, sealed, tag: cipher.getAuthTag().toString("base64") };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Opens a keystore of the purpose. Throws a `SignerError` that does not say whether the passphrase was near. */
export function openKeystore(
  purpose: KeystorePurpose,
  text: string,
  passphrase: string,
): Uint8Array {
  const { head, sealed, tag } = checkKeystore(text);
  if (head.purpose !== purpose) {
    throw new SignerError(`This keystore is for "${head.purpose}", not for "${purpose}".`);
  }
  const key = deriveKey(passphrase, Buffer.from(head.salt, "base64"));
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(head.nonce, "base64"), {
    authTagLength: 16,
  });
  decipher.setAAD(authenticated(head));
  try {
    decipher.setAuthTag(Buffer.from(tag, "base64"));
    return Buffer.concat([decipher.update(Buffer.from(sealed, "base64")), decipher.final()]);
  } catch {
    throw new SignerError(
      `The "${purpose}" keystore does not open: the passphrase is wrong or the file was changed.`,
    );
  }
}

const deriveKey = (passphrase: string, salt: Uint8Array): Buffer =>
  scryptSync(passphrase.normalize("NFKC"), salt, 32, { ...SCRYPT, maxmem: MEMORY_BYTES_MAX });

const HEAD_FIELDS = ["format", "purpose", "kdf", "N", "r", "p", "salt", "nonce"] as const;

/** The head as bytes in a fixed order. */
const authenticated = (head: KeystoreFile["head"]): Buffer =>
  Buffer.from(JSON.stringify(HEAD_FIELDS.map((field) => head[field])));
