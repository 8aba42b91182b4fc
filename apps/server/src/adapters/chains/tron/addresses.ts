import { bytesToHex } from "@noble/hashes/utils.js";
import type { DepositAccount } from "../../../domain/ports/chain-reader.ts";
import { toTronForm, tronBytes } from "../../../domain/wallets/tron.ts";
import { readDepositAccount } from "../evm/deposit-addresses.ts";

/** Returns the form of Ethereum's JSON-RPC, in lower case. The address is one that was checked. */
export const toEvmForm = (address: string): string =>
  `0x${bytesToHex(tronBytes(address).slice(1))}`;

/** Returns the form of the nodes' own interface: 42 digits. */
export const toNodeForm = (evmForm: string): string => `41${evmForm.slice(2).toLowerCase()}`;

/** Reads an extended public key, as of `m/44'/195'/1'`. Throws a sentence for an unusable one. */
export function readTronDepositAccount(xpub: string): DepositAccount {
  const account = readDepositAccount(xpub);
  return {
    fingerprint: account.fingerprint,
    addressAt: (index) => toTronForm(account.addressAt(index)),
  };
}
