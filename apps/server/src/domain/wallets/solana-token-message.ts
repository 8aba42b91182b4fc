import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import {
  KEY_BYTES,
  SYSTEM_PROGRAM,
  solanaBytes,
  TOKEN_ACCOUNT_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
  toSolanaForm,
} from "./solana.ts";
import {
  COMPUTE_BUDGET,
  feeAt,
  instruction,
  NUMBER_BYTES,
  numberBytes,
  priceInstructions,
  readNumber,
  type SolanaTransfer,
  U64_MAX,
  unitPriceOf,
} from "./solana-message.ts";

/** A token of Solana: its mint, and the decimals that the mint has. */
export interface SolanaToken {
  readonly mint: string;
  readonly decimals: number;
}

/**
 * The message that pays a token to a wallet. It opens the wallet's token account unless there is one, and the sender pays
 * its rent. `from` and `to` are wallets: both token accounts follow from them. The network compares mint and decimals.
 */
export interface SolanaTokenTransfer extends SolanaTransfer, SolanaToken {}

/** A new token account takes some 21,000 units and 1,500 for each bump seed tried, and the transfer 6,200. */
const TOKEN_UNIT_LIMIT = 80_000;
/** The bytes of a token account, and those that every account pays for. */
export const TOKEN_ACCOUNT_BYTES = 165;
export const ACCOUNT_OVERHEAD_BYTES = 128;

/** Returns the lamports that a payment of a token costs at a price, without the rent of a new token account. */
export const tokenFeeAt = (unitPrice: bigint): bigint => feeAt(unitPrice, 1n, TOKEN_UNIT_LIMIT);

/** Returns the lamports that a payment of a token costs at the price at which a transfer of SOL costs the fee. */
export const tokenFeeAtPriceOf = (fee: bigint): bigint => tokenFeeAt(unitPriceOf(fee));

/** One account signs. Wallet and mint are only read, as are the four programs. */
const HEADER = [1, 0, 6] as const;
const HEADER_BYTES = 3;
/** Places of the accounts in the message. */
const AT = {
  from: 0,
  source: 1,
  destination: 2,
  to: 3,
  mint: 4,
  system: 5,
  token: 6,
  tokenAccount: 7,
  budget: 8,
} as const;
const ACCOUNTS = 9;
const INSTRUCTIONS = 4;
/** `CreateIdempotent` of the program of token accounts, and `TransferChecked` of the Token program. */
const CREATE_IDEMPOTENT = 1;
const TRANSFER_CHECKED = 12;
const DECIMALS_MAX = 255;

/** Returns the bytes that are signed. There is one way to write a payment. Throws for words out of range. */
export function writeTokenMessage({
  from,
  to,
  mint,
  decimals,
  units,
  blockhash,
  unitPrice,
}: SolanaTokenTransfer): Uint8Array {
  const ends = [tokenAccountOf(from, mint), tokenAccountOf(to, mint)];
  const programs = [SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_ACCOUNT_PROGRAM, COMPUTE_BUDGET];
  const all = [from, ...ends, to, mint, ...programs];
  if (new Set(all).size !== ACCOUNTS) {
    throw new Error("a payment of a token has different wallets, and none of them is a program");
  }
  const isInRange =
    units > 0n &&
    units <= U64_MAX &&
    unitPrice >= 0n &&
    unitPrice <= U64_MAX &&
    decimals <= DECIMALS_MAX;
  if (!isInRange) throw new Error("a number of the payment is out of range");
  const created = [AT.from, AT.destination, AT.to, AT.mint, AT.system, AT.token];
  const moved = [AT.source, AT.mint, AT.destination, AT.from];
  return concatBytes(
    Uint8Array.from(HEADER),
    Uint8Array.of(ACCOUNTS),
    ...all.map(solanaBytes),
    solanaBytes(blockhash),
    Uint8Array.of(INSTRUCTIONS),
    priceInstructions(AT.budget, TOKEN_UNIT_LIMIT, unitPrice),
    instruction(AT.tokenAccount, created, Uint8Array.of(CREATE_IDEMPOTENT)),
    instruction(
      AT.token,
      moved,
      Uint8Array.of(TRANSFER_CHECKED, ...numberBytes(units, NUMBER_BYTES), decimals),
    ),
  );
}

const KEYS_AT = HEADER_BYTES + 1;
const BLOCKHASH_AT = KEYS_AT + ACCOUNTS * KEY_BYTES;
/** Behind the number of instructions, the first one, and the head of the second one. */
const PRICE_AT = BLOCKHASH_AT + KEY_BYTES + 1 + 8 + 4;
/** Behind the instruction that opens the account, and the head of the last one. */
const UNITS_AT = PRICE_AT + NUMBER_BYTES + 10 + 8;

/** Reads a message. Throws for all bytes except those that `writeTokenMessage` writes. */
export function readTokenMessage(bytes: Uint8Array): SolanaTokenTransfer {
  const keyAt = (start: number): string => toSolanaForm(bytes.subarray(start, start + KEY_BYTES));
  const accountAt = (place: number): string => keyAt(KEYS_AT + place * KEY_BYTES);
  const numberAt = (start: number): bigint =>
    readNumber(bytes.subarray(start, start + NUMBER_BYTES));
  const transfer = {
    from: accountAt(AT.from),
    to: accountAt(AT.to),
    mint: accountAt(AT.mint),
    decimals: bytes[UNITS_AT + NUMBER_BYTES] ?? 0,
    units: numberAt(UNITS_AT),
    blockhash: keyAt(BLOCKHASH_AT),
    unitPrice: numberAt(PRICE_AT),
  };
  if (bytesToHex(writeTokenMessage(transfer)) === bytesToHex(bytes)) return transfer;
  throw new Error("the bytes are not a payment of a token");
}
