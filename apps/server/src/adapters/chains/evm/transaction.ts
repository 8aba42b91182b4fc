import { bytesToHex } from "@noble/hashes/utils.js";
import { Transaction } from "micro-eth-signer";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { otherBytes } from "../ask-to-sign.ts";
import type { GasPrices } from "./fees.ts";

/** keccak256("transfer(address,uint256)"), its first four bytes. */
const TRANSFER_CALL = "0xa9059cbb";

/** The call or payment that a send makes. */
export interface EvmTransfer {
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

export interface EvmAccountFacts {
  readonly chainId: number;
  readonly address: string;
  /** Returns the contract of a token, and null for the network's own coin. */
  readonly contractOf: (assetReference: string) => string | null;
}

const word = (digits: string): string => digits.padStart(64, "0");

/** Returns the transfer of an amount. A contract's address is null for the network's own coin. */
export function transferOf(
  contract: string | null,
  { address, units }: { readonly address: string; readonly units: bigint },
): EvmTransfer {
  if (contract === null) return { to: address.toLowerCase(), value: units, data: "0x" };
  const data = `${TRANSFER_CALL}${word(address.slice(2).toLowerCase())}${word(units.toString(16))}`;
  return { to: contract.toLowerCase(), value: 0n, data };
}

/** Returns the transfer that a send makes. A cancel moves nothing to ourselves. */
export function transferOfSend(
  { purpose, outputs }: ChainSend,
  { address, contractOf }: EvmAccountFacts,
): EvmTransfer {
  if (purpose === "cancel") return transferOf(null, { address, units: 0n });
  const [output, ...others] = outputs;
  if (!output || others.length > 0) throw new Error("a send on an EVM network has one output");
  return transferOf(contractOf(output.assetReference), output);
}

interface Decoded {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

const decode = (bytes: Uint8Array) => Transaction.fromHex(`0x${bytesToHex(bytes)}`);

/** Reads the gas of a transaction that we signed. */
export function gasOf({ bytes }: SignedTransaction): GasPrices & { readonly gasLimit: bigint } {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = decode(bytes).raw as unknown as Decoded;
  return { gasLimit, maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Throws unless the signed bytes are exactly the send: a signer whose policy names another contract or account would
 * pay something else.
 */
export function requireSend(
  { transactionHash, bytes }: SignedTransaction,
  send: ChainSend,
  account: EvmAccountFacts,
): void {
  const signed = decode(bytes);
  const raw = signed.raw as unknown as Decoded;
  const { to, value, data } = transferOfSend(send, account);
  const isSame =
    `0x${signed.hash.replace(/^0x/, "")}` === transactionHash &&
    signed.sender.toLowerCase() === account.address.toLowerCase() &&
    raw.chainId === BigInt(account.chainId) &&
    send.place?.kind === "nonce" &&
    raw.nonce === send.place.nonce &&
    raw.to.toLowerCase() === to &&
    raw.value === value &&
    raw.data.toLowerCase().replace(/^(?!0x)/, "0x") === data;
  if (isSame) return;
  throw otherBytes(transactionHash, send.id);
}
