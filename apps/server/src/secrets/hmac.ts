import { type BinaryToTextEncoding, hash } from "node:crypto";

/** The HMAC of a text (as UTF-8) under one key, in an encoding. */
export type Hmac = (text: string, encoding: BinaryToTextEncoding) => string;

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** UTF-8 needs no more for each unit of a string. */
const BYTES_A_UNIT_MAX = 3;

/** What is hashed, one text after the other: the block of the key, then the text. */
let room = Buffer.alloc(16 * 1024);

/**
 * HMAC with SHA-256 (RFC 2104) under a key that signs many times. It is Node's `createHmac` without an
 * object, a copy of the key and a finalizer for each text: these cost more than the two digests.
 */
export function makeHmac(key: Uint8Array): Hmac {
  const block = blockOf(key);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  outer.set(block.map((byte) => byte ^ 0x5c));
  return (text, encoding) => {
    const bytesMax = BLOCK_BYTES + text.length * BYTES_A_UNIT_MAX;
    if (bytesMax > room.length) room = Buffer.alloc(bytesMax);
    room.set(inner);
    const end = BLOCK_BYTES + room.write(text, BLOCK_BYTES, "utf8");
    outer.write(hash("sha256", room.subarray(0, end), "binary"), BLOCK_BYTES, "binary");
    return hash("sha256", outer, encoding);
  };
}

/** A key that is longer than a block is hashed; the rest of the block is zero. */
function blockOf(key: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? hash("sha256", key, "buffer") : key);
  return block;
}
