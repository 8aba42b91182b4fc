import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { addr } from "micro-eth-signer";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { bytesAt, type Field, numberAt, readFields } from "../../../domain/wallets/protobuf.ts";
import {
  readTronBytes,
  TRC20_TRANSFER,
  type TronTransfer,
  toTronForm,
} from "../../../domain/wallets/tron.ts";
import { otherBytes } from "../ask-to-sign.ts";
import { toEvmForm } from "./addresses.ts";

export interface TronAccountFacts {
  /** In the form that wallets show. */
  readonly address: string;
  /** Returns the contract of a token, and null for TRX. */
  readonly contractOf: (assetReference: string) => string | null;
}

/** Returns the transfer that a send makes. */
export function transferOfSend(
  { outputs }: Pick<ChainSend, "outputs">,
  { contractOf }: TronAccountFacts,
): TronTransfer {
  const [output, ...others] = outputs;
  if (!output || others.length > 0) throw new Error("a send on Tron has one output");
  const { address, assetReference, units } = output;
  return { to: address, contract: contractOf(assetReference), units };
}

const TRANSACTION = { rawData: 1, signature: 2 } as const;
const RAW = { expiration: 8, contract: 11, feeLimit: 18 } as const;
const PARAMETER = 2;
const VALUE = 2;
const TRANSFER = { owner: 1, to: 2, amount: 3, data: 4 } as const;
const RECOVERY_BASE = 27;

/** A transaction that we signed. */
export interface SignedTransfer extends TronTransfer {
  readonly hash: string;
  readonly signer: string;
  readonly owner: string;
  /** The time from which no block takes it, in milliseconds. */
  readonly expiration: number;
}

/** Reads a signed transfer from its bytes. Throws for bytes that are not one. */
export function readSignedTransfer(bytes: Uint8Array): SignedTransfer {
  const fields = readFields(bytes);
  const rawData = bytesAt(fields, TRANSACTION.rawData);
  const raw = readFields(rawData);
  const digest = sha256(rawData);
  const parameter = readFields(bytesAt(readFields(bytesAt(raw, RAW.contract)), PARAMETER));
  const instruction = readFields(bytesAt(parameter, VALUE));
  return {
    hash: bytesToHex(digest),
    signer: signerOf(bytesAt(fields, TRANSACTION.signature), digest),
    owner: addressOf(bytesAt(instruction, TRANSFER.owner)),
    expiration: Number(numberAt(raw, RAW.expiration)),
    ...readTransfer(instruction),
  };
}

function readTransfer(instruction: readonly Field[]): TronTransfer {
  const to = addressOf(bytesAt(instruction, TRANSFER.to));
  const isCall = instruction.some(({ number }) => number === TRANSFER.data);
  if (!isCall) return { to, contract: null, units: numberAt(instruction, TRANSFER.amount) };
  const data = bytesToHex(bytesAt(instruction, TRANSFER.data));
  if (!data.startsWith(TRC20_TRANSFER)) throw new Error("the call is not a transfer");
  return {
    to: toTronForm(`0x${data.slice(32, 72)}`),
    contract: to,
    units: BigInt(`0x${data.slice(72)}`),
  };
}

function addressOf(bytes: Uint8Array): string {
  const evmForm = readTronBytes(bytes);
  if (evmForm === undefined) throw new Error("the bytes are not an address of Tron");
  return toTronForm(evmForm);
}

function signerOf(signature: Uint8Array, digest: Uint8Array): string {
  const recovery = (signature.at(-1) ?? 0) - RECOVERY_BASE;
  const recovered = Uint8Array.of(recovery, ...signature.slice(0, -1));
  const key = secp256k1.recoverPublicKey(recovered, digest, { prehash: false });
  return toTronForm(addr.fromPublicKey(key));
}

/** Throws unless the signer's transaction is exactly the send, at its deadline. */
export function requireSend(
  { transactionHash, bytes }: SignedTransaction,
  send: ChainSend,
  account: TronAccountFacts,
): void {
  const { to, contract, units } = transferOfSend(send, account);
  const signed = readSignedTransfer(bytes);
  const isSame =
    signed.hash === transactionHash &&
    signed.signer === account.address &&
    signed.owner === account.address &&
    send.place?.kind === "until" &&
    signed.expiration === send.place.expiration &&
    toEvmForm(signed.to) === toEvmForm(to) &&
    signed.contract === contract &&
    signed.units === units;
  if (isSame) return;
  throw otherBytes(transactionHash, send.id);
}
