import { keccak_256 } from "@noble/hashes/sha3.js";

const FORM = /^0x[0-9a-fA-F]{40}$/;
/** Coins sent to the zero address are burnt. */
const ZERO = /^0x0{40}$/;

/**
 * Whether the text is an address of an EVM network. Mixed case carries a checksum (EIP-55) and must
 * be right; all lower or all upper case carries none.
 */
export function isEvmAddress(text: string): boolean {
  if (!FORM.test(text) || ZERO.test(text)) return false;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  return digits === withChecksum(lower);
}

function withChecksum(lower: string): string {
  const hash = keccak_256(new TextEncoder().encode(lower));
  return Array.from(lower, (digit, index) => {
    const nibble = ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  }).join("");
}
