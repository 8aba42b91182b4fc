/**
 * CashAddr, the address format of Bitcoin Cash: `bitcoincash:` (optional), then 5-bit words of a version byte, a
 * 20-byte hash and a 40-bit checksum. The legacy format is refused, because it looks like a Bitcoin address.
 */
const PREFIX = "bitcoincash";
const PREFIX_TEXT = `${PREFIX}:`;
const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CHECKSUM_WORDS = 8;
/** 21 bytes in 5-bit words, padded, and the checksum. */
const WORDS = 34 + CHECKSUM_WORDS;
const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
/** Pay to key hash, pay to script hash, and both with tokens, each of 20 bytes. */
const VERSIONS = [0x00, 0x08, 0x10, 0x18];

export function isCashAddress(text: string): boolean {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false;
  const lower = text.toLowerCase();
  const payload = lower.startsWith(PREFIX_TEXT) ? lower.slice(PREFIX_TEXT.length) : lower;
  const words = Array.from(payload, (character) => ALPHABET.indexOf(character));
  if (words.length !== WORDS || words.includes(-1)) return false;
  return hasChecksum(words) && hasKnownVersion(words.slice(0, -CHECKSUM_WORDS));
}

function hasChecksum(words: readonly number[]): boolean {
  const prefixWords = Array.from(PREFIX, (character) => character.charCodeAt(0) & 31);
  return polymod([...prefixWords, 0, ...words]) === 0n;
}

/** The first byte holds kind and length. The two bits of padding at the end are zero. */
function hasKnownVersion(words: readonly number[]): boolean {
  const version = ((words[0] ?? 0) << 3) | ((words[1] ?? 0) >> 2);
  const padding = (words.at(-1) ?? 0) & 3;
  return VERSIONS.includes(version) && padding === 0;
}

function polymod(values: readonly number[]): bigint {
  let checksum = 1n;
  for (const value of values) {
    const top = checksum >> 35n;
    checksum = ((checksum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) checksum ^= generator;
    });
  }
  return checksum ^ 1n;
}
