import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { addressWithSeed, SYSTEM_PROGRAM, solanaBytes } from "./solana.ts";
import {
  compileMessage,
  feeAt,
  NUMBER_BYTES,
  numberBytes,
  readNumber,
  readParts,
  type SolanaTransfer,
  TAG_BYTES,
} from "./solana-message.ts";

/**
 * The message that empties a deposit address into a wallet of ours: `TransferWithSeed` of the System Program. The wallet
 * pays the fee, because a derived address signs nothing and so cannot pay.
 */
export interface SolanaSweep extends Omit<SolanaTransfer, "from"> {
  /** The account that the deposit address derives from, whose key moves the coins. */
  readonly base: string;
  readonly seed: string;
}

/** Two accounts sign: the wallet, and the one that the address derives from. */
export const SWEEP_SIGNATURES = 2;
/** The second one is only read. So are the two programs at the end. */
const HEADER = [SWEEP_SIGNATURES, 1, 2] as const;
/** Places of the accounts in the message. */
const AT = { to: 0, base: 1, from: 2 } as const;
const WALLETS = 3;
const TRANSFER_WITH_SEED = 11n;
/** The network takes no longer seeds. Ours have an index and a small number. */
const SEED = /^[0-9]{1,10}\.[0-9]{1,4}$/;

/** Returns the lamports that a sweep costs at a price. */
export const sweepFeeAt = (unitPrice: bigint): bigint => feeAt(unitPrice, BigInt(SWEEP_SIGNATURES));

/** Returns the bytes that are signed. There is one way to write a sweep. */
export function writeSweep({ base, seed, to, ...terms }: SolanaSweep): Uint8Array {
  if (!SEED.test(seed)) throw new Error(`"${seed}" is not a seed of a deposit address`);
  return compileMessage({
    header: HEADER,
    wallets: [to, base, addressWithSeed(base, seed)],
    terms,
    accounts: [AT.from, AT.base, AT.to],
    data: concatBytes(
      numberBytes(TRANSFER_WITH_SEED, TAG_BYTES),
      numberBytes(terms.units, NUMBER_BYTES),
      numberBytes(BigInt(seed.length), NUMBER_BYTES),
      utf8ToBytes(seed),
      solanaBytes(SYSTEM_PROGRAM),
    ),
  });
}

/** Reads a message, with the deposit address. Throws for all bytes except those that `writeSweep` writes. */
export function readSweep(bytes: Uint8Array): SolanaSweep & { readonly from: string } {
  const { walletAt, units, blockhash, unitPrice, rest } = readParts(bytes, {
    wallets: WALLETS,
    accounts: WALLETS,
  });
  const length = Number(readNumber(rest.subarray(0, NUMBER_BYTES)));
  const seed = String.fromCharCode(...rest.slice(NUMBER_BYTES, NUMBER_BYTES + length));
  const sweep = {
    ...{ to: walletAt(AT.to), base: walletAt(AT.base), seed },
    ...{ units, blockhash, unitPrice },
  };
  if (bytesToHex(writeSweep(sweep)) !== bytesToHex(bytes)) {
    throw new Error("the bytes are not a sweep of lamports");
  }
  return { ...sweep, from: walletAt(AT.from) };
}
