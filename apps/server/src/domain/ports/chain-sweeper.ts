import type { ChainSend, SendOutcome, SignedTransaction } from "./chain-gateway.ts";
import type { FeeTerms } from "./chain-sender.ts";

/** Gas of a transfer of the network's own coin to an account. */
export const COIN_GAS = 21_000n;

/** Nodes replace a transaction only if both of its prices rise by an eighth. */
export const raisedPrice = (price: bigint): bigint => (price * 9n + 7n) / 8n;

/** The price of gas of the next block, and the tip that half of the latest transactions paid. */
export interface GasMarket {
  readonly base: bigint;
  readonly tip: bigint;
}

/** A send between two accounts of ours, by their names in the signer's policy. */
export interface OwnMove {
  readonly send: ChainSend;
  readonly from: SweepAccount;
  readonly to: SweepAccount;
}

export interface SweepAccount {
  /** Such as `ethereum-hot`, or `ethereum-deposits/17` for one address of many. */
  readonly name: string;
  readonly address: string;
}

/** The coins of an address at the final block. */
export interface FinalHolding {
  readonly units: bigint;
  /** Units of the network's own coin. */
  readonly coins: bigint;
  /** The next place after all final transactions. */
  readonly usedPlaces: bigint;
}

/** The gas of a signed transaction, and the price of one unit. */
export interface PricedGas {
  readonly gasLimit: bigint;
  readonly gasPrice: bigint;
}

/** Collects the coins of deposit addresses on one live network. It holds no key: the signer signs. */
export interface ChainSweeper {
  readonly networkCode: string;
  readonly hot: SweepAccount;
  /** The wallet that brings coins to deposit addresses: the gas tank, or the hot wallet. */
  readonly funder: SweepAccount;
  /** Returns the name of a deposit address in the signer's policy. Undefined where the rails file names none. */
  depositAccount(keyIndex: number): string | undefined;
  market(): Promise<GasMarket>;
  /** The gas that a transfer of the asset may take. It is never a contract's own word. */
  gasLimitOf(assetId: number): bigint;
  termsOf(gasLimit: bigint, gasPrice: bigint): FeeTerms;
  /** Returns terms of now for a top-up, as a payout has them. With `stuck` they replace that transaction. Throws `TooDear`. */
  topUpTerms(stuck?: SignedTransaction): Promise<FeeTerms>;
  gasOf(transaction: SignedTransaction): PricedGas;
  /** Throws `Disagreement` while no block is final. */
  holdingOf(address: string, assetId: number): Promise<FinalHolding>;
  /** Asks the signer. The same request has the same answer. Throws `SigningRefused`. */
  sign(move: OwnMove, terms: FeeTerms): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  follow(move: OwnMove, signed: readonly SignedTransaction[]): Promise<SendOutcome>;
  close(): Promise<void>;
}
