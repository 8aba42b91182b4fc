import { bech32 } from "@scure/base";

const PREFIX = "bitcoincash";
const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
const CHECKSUM_WORDS = 8;
/** Pay to key hash, 20 bytes. */
const VERSION = 0;

/** Returns the CashAddr of a key hash, with its prefix. */
export function cashAddressOf(hash: Uint8Array): string {
  const words = bech32.toWords(Uint8Array.of(VERSION, ...hash));
  const text = [...words, ...checksumOf(words)].map((word) => ALPHABET.charAt(word)).join("");
  return `${PREFIX}:${text}`;
}

function checksumOf(words: readonly number[]): number[] {
  const prefix = Array.from(PREFIX, (character) => character.charCodeAt(0) & 31);
  const none = Array.from({ length: CHECKSUM_WORDS }, () => 0);
  const remainder = remainderOf([...prefix, 0, ...words, ...none]);
  return none.map((_, index) => Number((remainder >> BigInt(5 * (7 - index))) & 31n));
}

function remainderOf(words: readonly number[]): bigint {
  let remainder = 1n;
  for (const word of words) {
    const top = remainder >> 35n;
    remainder = ((remainder & 0x07ffffffffn) << 5n) ^ BigInt(word);
    GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) remainder ^= generator;
    });
  }
  return remainder ^ 1n;
}
