import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { createBase58check } from "@scure/base";
import type { DepositAccount } from "../../../domain/ports/chain-reader.ts";
import { readDepositAccount } from "../evm/deposit-addresses.ts";

/** The first byte of every address of Tron, before the 20 bytes that an EVM address has too. */
const PREFIX = 0x41;

const base58check = createBase58check(sha256);

/** Returns the form of Ethereum's JSON-RPC, in lower case. The address is one that was checked. */
export function toEvmForm(address: string): string {
  const bytes = base58check.decode(address);
  if (bytes.length !== 21 || bytes[0] !== PREFIX) throw new Error(`${address} is not of Tron`);
  return `0x${bytesToHex(bytes.slice(1))}`;
}

/** Returns the form that wallets show, such as `TR7N…`. */
export const toTronForm = (evmForm: string): string =>
  base58check.encode(Uint8Array.of(PREFIX, ...hexToBytes(evmForm.slice(2).toLowerCase())));

/** Returns the form of the nodes' own interface: 42 digits. */
export const toNodeForm = (evmForm: string): string => `41${evmForm.slice(2).toLowerCase()}`;

/** Returns the EVM form of an address in a transaction. Undefined for other bytes. */
export const readAddressBytes = (bytes: Uint8Array): string | undefined =>
  bytes.length === 21 && bytes[0] === PREFIX ? `0x${bytesToHex(bytes.slice(1))}` : undefined;

/** Reads an extended public key, as of `m/44'/195'/1'`. Throws a sentence for an unusable one. */
export function readTronDepositAccount(xpub: string): DepositAccount {
  const account = readDepositAccount(xpub);
  return {
    fingerprint: account.fingerprint,
    addressAt: (index) => toTronForm(account.addressAt(index)),
  };
}
