import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { createBase58check } from "@scure/base";

/** Addresses and transfers of Tron, as the service and the signer read and write them. */

/** The first byte of every address of Tron, before the 20 bytes that an EVM address has too. */
const PREFIX = 0x41;
const LENGTH = 21;

const base58check = createBase58check(sha256);

/** Returns the 21 bytes of an address in the form that wallets show, such as `TR7N…`. Throws for any other text. */
export function tronBytes(address: string): Uint8Array {
  const bytes = base58check.decode(address);
  if (bytes.length === LENGTH && bytes[0] === PREFIX) return bytes;
  throw new Error(`${address} is not of Tron`);
}

/** Returns the form that wallets show. The EVM form may be a checksummed one. */
export const toTronForm = (evmForm: string): string =>
  base58check.encode(Uint8Array.of(PREFIX, ...hexToBytes(evmForm.slice(2).toLowerCase())));

/** Returns the EVM form of an address in a transaction, in lower case. Undefined for other bytes. */
export const readTronBytes = (bytes: Uint8Array): string | undefined =>
  bytes.length === LENGTH && bytes[0] === PREFIX ? `0x${bytesToHex(bytes.slice(1))}` : undefined;

/** A transfer of TRX, or of a token by its contract. Addresses have the form that wallets show. */
export interface TronTransfer {
  readonly to: string;
  readonly contract: string | null;
  readonly units: bigint;
}

/** The selector of TRC-20's `transfer(address,uint256)`, and the zeros before an address. */
export const TRC20_TRANSFER = `a9059cbb${"0".repeat(24)}`;
