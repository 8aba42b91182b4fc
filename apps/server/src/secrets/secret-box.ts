import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SecretBox } from "../domain/ports/secret-box.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

/** Format 1 was sealed with a key that all environments shared. It still opens and is not written. */
const FORMATS = { shared: 1, ofEnvironment: 2 } as const;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with a key derived from the key ring for one environment. A sealed secret consists of
 * format, length of the key id, key id, nonce, ciphertext and tag. It names its key, so a roll rewrites no
 * sealed secret.
 */
export function createSecretBox(ring: KeyRing, environment: string): SecretBox {
  const deriveAll = (purpose: string) =>
    new Map([...ring.keys].map(([id, key]) => [id, deriveKey(key, purpose)] as const));
  const derived: Readonly<Record<number, ReadonlyMap<string, Buffer>>> = {
    [FORMATS.shared]: deriveAll("secret-box"),
    [FORMATS.ofEnvironment]: deriveAll(`secret-box|${environment}`),
  };
  const keyOf = (id: string, format: number = FORMATS.ofEnvironment): Buffer => {
    const key = derived[format]?.get(id);
    if (key === undefined) throw new Error(`the secret key ${id} is not in the secret keys file`);
    return key;
  };
  return {
    seal: (secret, boundTo) => {
      const keyId = Buffer.from(ring.current.id);
      const header = Buffer.from([FORMATS.ofEnvironment, keyId.length, ...keyId]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyOf(ring.current.id), nonce);
      cipher.setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([header, nonce, body, cipher.getAuthTag()]);
    },
    open: (sealed, boundTo) => {
      const parts = split(Buffer.from(sealed));
      const key = keyOf(parts.keyId, parts.format);
      const decipher = createDecipheriv("aes-256-gcm", key, parts.nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(parts.tag);
      return Buffer.concat([decipher.update(parts.body), decipher.final()]).toString("utf8");
    },
  };
}

interface Sealed {
  readonly format: number;
  readonly keyId: string;
  readonly nonce: Buffer;
  readonly body: Buffer;
  readonly tag: Buffer;
}

function split(sealed: Buffer): Sealed {
  const format = sealed[0] ?? 0;
  const keyEnd = 2 + (sealed[1] ?? 0);
  const bodyStart = keyEnd + NONCE_BYTES;
  const bodyEnd = sealed.length - TAG_BYTES;
  const isFormat = format === FORMATS.shared || format === FORMATS.ofEnvironment;
  if (!isFormat || bodyEnd < bodyStart) throw new Error("the bytes are not a sealed secret");
  return {
    format,
    keyId: sealed.subarray(2, keyEnd).toString(),
    nonce: sealed.subarray(keyEnd, bodyStart),
    body: sealed.subarray(bodyStart, bodyEnd),
    tag: sealed.subarray(bodyEnd),
  };
}

/** Names the place of a sealed secret. `seal` and `open` must get the same name. */
export function boundTo(place: {
  readonly table: string;
  readonly merchantId: string;
  readonly row: string;
  readonly column: string;
}): string {
  return [place.table, place.merchantId, place.row, place.column].join("|");
}
