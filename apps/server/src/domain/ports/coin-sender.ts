import type { ChainPayment, ChainSend, SignedTransaction } from "./chain-gateway.ts";
import type { ChainSender, FeeTerms } from "./chain-sender.ts";

/** The cost of a send: `units` for its payments and their fee, and `unitsForEach` more for the fee of each coin. */
export interface CoinCost {
  readonly units: bigint;
  readonly unitsForEach: bigint;
}

/**
 * Sends from one hot wallet of a network of the Bitcoin family. It holds no key: the signer signs. It remembers
 * nothing: the coins of a send are rows of ours.
 */
export interface CoinSender
  extends Pick<ChainSender, "networkCode" | "check" | "sign" | "broadcast" | "close"> {
  /** The wallet's name in the signer's policy, its extended public key, and the key's fingerprint. */
  readonly wallet: {
    readonly name: string;
    readonly address: string;
    readonly account: string;
  };
  /** The pause between two questions about a transaction that no block has. */
  readonly pollMs: number;
  /** Returns why the payment can never be made. */
  refusalOf(payment: ChainPayment): string | undefined;
  /** Returns the units for each virtual byte that the network takes now. Throws `TooDear`. */
  feeRate(): Promise<bigint>;
  costOf(send: Pick<ChainSend, "outputs">, rate: bigint): CoinCost;
  /** Returns the terms of a send whose coins were taken: the coins and the change. Throws `TooDear`. */
  termsOf(send: ChainSend, rate: bigint): FeeTerms;
  /** Returns the units that the transaction leaves to the miner. */
  feeOf(send: ChainSend, transaction: SignedTransaction): bigint;
  /** Returns whether enough nodes have the transaction. */
  isKnown(hash: string): Promise<boolean>;
}
