import type { ChainSend, SendOutcome, SignedTransaction } from "./chain-gateway.ts";
import type { FeeTerms } from "./chain-sender.ts";

/** Gas of a transfer of the network's own coin to an account. */
export const COIN_GAS = 21_000n;

/** The price of gas of the next block: its base, and the usual tip. */
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

/** Collects the coins of deposit addresses on one live network. It holds no key: the signer signs. */
export interface ChainSweeper {
  readonly networkCode: string;
  readonly hot: SweepAccount;
  /** Returns the name of a deposit address in the signer's policy. */
  depositAccount(keyIndex: number): string;
  market(): Promise<GasMarket>;
  /** The gas that a transfer of the asset may take. It is never a contract's own word. */
  gasLimitOf(assetId: number): bigint;
  termsOf(gasLimit: bigint, gasPrice: bigint): FeeTerms;
  /** Throws `Disagreement` while no block is final. */
  holdingOf(address: string, assetId: number): Promise<FinalHolding>;
  /** Asks the signer. The same request has the same answer. Throws `SigningRefused`. */
  sign(move: OwnMove, terms: FeeTerms): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  follow(move: OwnMove, signed: readonly SignedTransaction[]): Promise<SendOutcome>;
  close(): Promise<void>;
}
