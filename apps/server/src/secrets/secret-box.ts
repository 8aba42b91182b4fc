import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SecretBox } from "../domain/ports/secret-box.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with a key derived from the key ring. A sealed secret consists of format, length of the key
 * id, key id, nonce, ciphertext and tag. It names its key, so a roll rewrites no sealed secret.
 */
export function createSecretBox(ring: KeyRing): SecretBox {
  const derived = new Map(
    [...ring.keys].map(([id, key]) => [id, deriveKey(key, "secret-box")] as const),
  );
  const keyOf = (id: string): Buffer => {
    const key = derived.get(id);
    if (key === undefined) throw new Error(`the secret key ${id} is not in the secret keys file`);
    return key;
  };
  return {
    seal: (secret, boundTo) => {
      const keyId = Buffer.from(ring.current.id);
      const header = Buffer.from([FORMAT, keyId.length, ...keyId]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyOf(ring.current.id), nonce);
      cipher.setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([header, nonce, body, cipher.getAuthTag()]);
    },
    open: (sealed, boundTo) => {
      const parts = split(Buffer.from(sealed));
      const decipher = createDecipheriv("aes-256-gcm", keyOf(parts.keyId), parts.nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(parts.tag);
      return Buffer.concat([decipher.update(parts.body), decipher.final()]).toString("utf8");
    },
  };
}

function split(sealed: Buffer): { keyId: string; nonce: Buffer; body: Buffer; tag: Buffer } {
  const keyEnd = 2 + (sealed[1] ?? 0);
  const bodyStart = keyEnd + NONCE_BYTES;
  const bodyEnd = sealed.length - TAG_BYTES;
  if (sealed[0] !== FORMAT || bodyEnd < bodyStart)
    throw new Error("the bytes are not a sealed secret");
  return {
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
