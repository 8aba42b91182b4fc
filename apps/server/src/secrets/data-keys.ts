import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { DataKey, DataKeyBox, SecretBox } from "../domain/ports/secret-box.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

/** The first byte of data that a data key sealed. */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_BYTES = 16;

/**
 * Seals data with AES-256-GCM under random data keys, which the box seals with the service's key. Sealed data
 * consists of format, nonce, ciphertext and tag. No opened data key is kept in memory after the call.
 */
export function createDataKeyBox(box: SecretBox, ring: KeyRing, environment: string): DataKeyBox {
  const open = ({ sealed, boundTo }: DataKey): Buffer =>
    Buffer.from(box.open(sealed, boundTo), "base64");
  const others = [...ring.keys.values()].filter(({ id }) => id !== ring.current.id);
  const digestKeys = [ring.current, ...others].map((key) =>
    deriveKey(key, `personal-digest|${environment}`),
  );
  return {
    makeDataKey: (boundTo) => ({
      sealed: box.seal(randomBytes(32).toString("base64"), boundTo),
      boundTo,
    }),
    sealBy: (key, text, boundTo) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", open(key), nonce);
      cipher.setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), nonce, body, cipher.getAuthTag()]);
    },
    openBy: (key, sealed, boundTo) => {
      const bytes = Buffer.from(sealed);
      const bodyStart = 1 + NONCE_BYTES;
      const bodyEnd = bytes.length - TAG_BYTES;
      if (bytes[0] !== FORMAT || bodyEnd < bodyStart) {
        throw new Error("the bytes are not sealed personal data");
      }
      const nonce = bytes.subarray(1, bodyStart);
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv("aes-256-gcm", open(key), nonce, options);
      decipher.setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(bytes.subarray(bodyEnd));
      const body = bytes.subarray(bodyStart, bodyEnd);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
    digests: (text) =>
      digestKeys.map((key) =>
        createHmac("sha256", key).update(text).digest().subarray(0, DIGEST_BYTES),
      ),
  };
}
