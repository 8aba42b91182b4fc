import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { createBase58check } from "@scure/base";
import { SignRefusal } from "./signer-error.ts";

/** The first byte of every address of Tron, before the 20 bytes that an EVM address has too. */
const PREFIX = 0x41;
const LENGTH = 21;

const base58check = createBase58check(sha256);

/** Returns the address of Tron with the same key as an EVM address. */
export const toTronAddress = (evmAddress: string): string =>
  base58check.encode(Uint8Array.of(PREFIX, ...hexToBytes(evmAddress.slice(2).toLowerCase())));

/** Returns the 21 bytes of an address. Throws a refusal for any other text. */
export function tronAddressBytes(text: string): Uint8Array {
  try {
    const bytes = base58check.decode(text);
    if (bytes.length === LENGTH && bytes[0] === PREFIX) return bytes;
  } catch {
    // The refusal below names the text.
  }
  throw new SignRefusal(
    "address",
    `"${text}" is not an address of Tron, or its checksum is wrong.`,
  );
}

/** Throws unless the text is an address of Tron that somebody may have the key of. */
export function requireTronAddress(text: string): void {
  if (!/^41(00){20}$/.test(bytesToHex(tronAddressBytes(text)))) return;
  throw new SignRefusal("destination", "Coins sent to the zero address are lost.");
}
