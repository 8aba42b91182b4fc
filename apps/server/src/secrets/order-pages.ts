import { createHmac, timingSafeEqual } from "node:crypto";
import type { OrderPages } from "../domain/ports/order-pages.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

const ID_BYTES = 8;
const MAC_BYTES = 24;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * A secret is the order's id and its keyed digest of 192 bits (HMAC, RFC 2104), in base64url. A public token has dots,
 * so no text is both. The first line of the secret keys file derives new secrets, and all lines verify.
 */
export function createOrderPages(ring: KeyRing, environment: string): OrderPages {
  const purpose = `order-pages|${environment}`;
  const current = deriveKey(ring.current, purpose);
  const keys = [...ring.keys.values()].map((key) => deriveKey(key, purpose));
  return {
    secretOf: (orderId) => {
      const id = Buffer.alloc(ID_BYTES);
      id.writeBigUInt64BE(orderId);
      return Buffer.concat([id, digestOf(current, id)]).toString("base64url");
    },
    orderOf: (text) => {
      if (!SECRET.test(text)) return undefined;
      const bytes = Buffer.from(text, "base64url");
      // The last character has spare bits, so another text may decode to the same bytes.
      if (bytes.toString("base64url") !== text) return undefined;
      const [id, digest] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)];
      const isGenuine = keys.some((key) => timingSafeEqual(digestOf(key, id), digest));
      return isGenuine ? id.readBigUInt64BE() : undefined;
    },
  };
}

const digestOf = (key: Buffer, id: Buffer): Buffer =>
  createHmac("sha256", key).update(id).digest().subarray(0, MAC_BYTES);
