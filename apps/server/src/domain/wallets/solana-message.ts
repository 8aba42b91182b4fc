import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { KEY_BYTES, SYSTEM_PROGRAM, solanaBytes, toSolanaForm } from "./solana.ts";

/** The one message of Solana that we sign: a transfer of lamports, with the price of its place in a block. */
export interface SolanaTransfer {
  readonly from: string;
  readonly to: string;
  /** In lamports. */
  readonly units: bigint;
  /** The recent block after which the transaction is valid. */
  readonly blockhash: string;
  /** The price of a compute unit, in millionths of a lamport. */
  readonly unitPrice: bigint;
}

export const COMPUTE_BUDGET = "ComputeBudget111111111111111111111111111111";
/** A transfer and its two instructions for the price use 450. */
const UNIT_LIMIT = 1_000;
/** The fee of one signature, in lamports. */
const SIGNATURE_FEE = 5_000n;
const MILLIONTHS = 1_000_000n;

/** Returns the lamports that a transfer costs at a price, as the network rounds them. */
export const feeAt = (unitPrice: bigint, signatures = 1n, unitLimit = UNIT_LIMIT): bigint =>
  SIGNATURE_FEE * signatures + (unitPrice * BigInt(unitLimit) + MILLIONTHS - 1n) / MILLIONTHS;

/** Returns the unit price at which a transfer costs the fee. It is 0 where the fee pays for the signature alone. */
export const unitPriceOf = (fee: bigint): bigint =>
  fee <= SIGNATURE_FEE ? 0n : ((fee - SIGNATURE_FEE) * MILLIONTHS) / BigInt(UNIT_LIMIT);

/** The signatures, the signers that only read, and the programs at the end. All lengths are below 128, so each is one byte. */
const HEADER = [1, 0, 2] as const;
const HEADER_BYTES = 3;
const PROGRAMS = [SYSTEM_PROGRAM, COMPUTE_BUDGET] as const;
const INSTRUCTIONS = 3;
/** Places of the wallets in the message. */
const AT = { from: 0, to: 1 } as const;
const WALLETS = 2;

/** The first bytes of the instructions' data. */
const SET_LIMIT = 2;
const SET_PRICE = 3;
const TRANSFER = 2n;

export const U64_MAX = 2n ** 64n - 1n;
export const TAG_BYTES = 4;
export const NUMBER_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** Writes a number with its lowest byte first. */
export const numberBytes = (value: bigint, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));

export const readNumber = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** Returns one instruction: its program, its accounts and its data. */
export const instruction = (program: number, accounts: readonly number[], data: Uint8Array) =>
  Uint8Array.of(program, accounts.length, ...accounts, data.length, ...data);

/** Returns the two instructions that set the compute units of a message and their price. */
export const priceInstructions = (
  budget: number,
  unitLimit: number,
  unitPrice: bigint,
): Uint8Array =>
  concatBytes(
    instruction(budget, [], Uint8Array.of(SET_LIMIT, ...numberBytes(BigInt(unitLimit), 4))),
    instruction(budget, [], Uint8Array.of(SET_PRICE, ...numberBytes(unitPrice, NUMBER_BYTES))),
  );

/** One instruction of the System Program in a message that has its price before it. */
export interface MessageParts {
  readonly header: readonly number[];
  /** The first one pays the fee. */
  readonly wallets: readonly string[];
  readonly terms: Pick<SolanaTransfer, "units" | "blockhash" | "unitPrice">;
  /** Its accounts, by their places in the message, and its data. */
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** Returns the bytes that are signed. Throws for wallets that are one, and for numbers out of range. */
export function compileMessage({
  header,
  wallets,
  terms: { units, blockhash, unitPrice },
  accounts,
  data,
}: MessageParts): Uint8Array {
  const all = [...wallets, ...PROGRAMS];
  if (new Set(all).size !== all.length) {
    throw new Error("a transfer has different wallets, and none of them is a program");
  }
  if (units <= 0n || units > U64_MAX || unitPrice < 0n || unitPrice > U64_MAX) {
    throw new Error("an amount of the transfer is out of range");
  }
  const system = wallets.length;
  const budget = system + 1;
  return concatBytes(
    Uint8Array.from(header),
    Uint8Array.of(all.length),
    ...all.map(solanaBytes),
    solanaBytes(blockhash),
    Uint8Array.of(INSTRUCTIONS),
    priceInstructions(budget, UNIT_LIMIT, unitPrice),
    instruction(system, accounts, data),
  );
}

/**
 * Reads a message with this number of wallets, and of accounts in its last instruction, and checks nothing. Every caller
 * writes it again and compares the bytes, so that nothing else is accepted.
 */
export function readParts(
  bytes: Uint8Array,
  { wallets, accounts }: { readonly wallets: number; readonly accounts: number },
) {
  const keyAt = (start: number): string => toSolanaForm(bytes.subarray(start, start + KEY_BYTES));
  const keysAt = HEADER_BYTES + 1;
  const blockhashAt = keysAt + (wallets + PROGRAMS.length) * KEY_BYTES;
  const priceAt = blockhashAt + KEY_BYTES + 1 + 8 + 4;
  const dataAt = priceAt + NUMBER_BYTES + 3 + accounts;
  const unitsAt = dataAt + TAG_BYTES;
  return {
    walletAt: (index: number): string => keyAt(keysAt + index * KEY_BYTES),
    blockhash: keyAt(blockhashAt),
    unitPrice: readNumber(bytes.subarray(priceAt, priceAt + NUMBER_BYTES)),
    units: readNumber(bytes.subarray(unitsAt, unitsAt + NUMBER_BYTES)),
    /** The data of the instruction behind its units. */
    rest: bytes.subarray(unitsAt + NUMBER_BYTES),
  };
}

/** Returns the bytes that are signed. There is one way to write a transfer. */
export const writeMessage = ({ from, to, ...terms }: SolanaTransfer): Uint8Array =>
  compileMessage({
    header: HEADER,
    wallets: [from, to],
    terms,
    accounts: [AT.from, AT.to],
    data: concatBytes(numberBytes(TRANSFER, TAG_BYTES), numberBytes(terms.units, NUMBER_BYTES)),
  });

/** Reads a message. Throws for all bytes except those that `writeMessage` writes. */
export function readMessage(bytes: Uint8Array): SolanaTransfer {
  const { walletAt, units, blockhash, unitPrice } = readParts(bytes, {
    wallets: WALLETS,
    accounts: WALLETS,
  });
  const ends = { from: walletAt(AT.from), to: walletAt(AT.to) };
  const transfer = { ...ends, units, blockhash, unitPrice };
  if (bytesToHex(writeMessage(transfer)) === bytesToHex(bytes)) return transfer;
  throw new Error("the bytes are not a transfer of lamports");
}

/** Returns a transaction with its signatures, in the order of the accounts that sign. */
export const writeTransaction = (
  signatures: readonly Uint8Array[],
  message: Uint8Array,
): Uint8Array => concatBytes(Uint8Array.of(signatures.length), ...signatures, message);

/** Returns the parts of a transaction with `count` signatures. The first signature is its id. */
export function splitTransaction(
  bytes: Uint8Array,
  count = 1,
): {
  readonly signature: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
} {
  const start = 1 + SIGNATURE_BYTES * count;
  const signatures = Array.from({ length: count }, (_, at) =>
    bytes.slice(1 + at * SIGNATURE_BYTES, 1 + (at + 1) * SIGNATURE_BYTES),
  );
  const [signature] = signatures;
  if (signature && bytes[0] === count && bytes.length > start) {
    return { signature, signatures, message: bytes.slice(start) };
  }
  throw new Error(`the transaction does not have exactly ${count} signatures`);
}
