import { hmac } from "@noble/hashes/hmac.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

const KEY_BYTES = 32;
const HARDENED = 2 ** 31;

/**
 * Derives the secret key of a path from a seed, as SLIP-0010 does for Ed25519. Every step is hardened, so no public key
 * leads to another one.
 */
export function deriveEd25519(seed: Uint8Array, path: string): Uint8Array {
  let node = hmac(sha512, utf8ToBytes("ed25519 seed"), seed);
  for (const step of path.split("/").slice(1)) {
    if (!/^[0-9]{1,10}'$/.test(step)) throw new Error(`${path} has a step that is not hardened`);
    const index = new DataView(new ArrayBuffer(4));
    index.setUint32(0, Number.parseInt(step, 10) + HARDENED);
    const data = concatBytes(
      Uint8Array.of(0),
      node.slice(0, KEY_BYTES),
      new Uint8Array(index.buffer),
    );
    node = hmac(sha512, node.slice(KEY_BYTES), data);
  }
  return node.slice(0, KEY_BYTES);
}
