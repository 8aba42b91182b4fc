import type { BatchRules } from "../payouts/batches.ts";
import type { ChainPayment, ChainSend, SignedTransaction } from "./chain-gateway.ts";
import type { ChainSender, FeeTerms } from "./chain-sender.ts";

/** The cost of a send: `units` for its payments and their fee, and `unitsForEach` more for the fee of each coin. */
export interface CoinCost {
  readonly units: bigint;
  readonly unitsForEach: bigint;
}

/** How the fee of a payout is raised that no block takes. */
export interface CoinRaising {
  /** By another version with less change, or by a child: a transaction that spends the change. */
  readonly by: "replace" | "child" | "never";
  /** The blocks that a transaction waits before its fee is raised. */
  readonly afterBlocks: bigint;
}

/** When many small coins of the hot wallet become one. */
export interface ConsolidationRules {
  /** The coins that the wallet may have before. */
  readonly aboveCoins: number;
  /** The most coins of one transaction. */
  readonly coinsAtOnce: number;
  /** The most units for each virtual byte. */
  readonly feeRateMax: bigint;
}

/** The fee of transactions that no block has, in the coin's smallest units, and their size in virtual bytes. */
export interface FeeAndSize {
  readonly fee: bigint;
  readonly size: bigint;
}

/** Our change in a transaction that was signed, and the terms of the child that spends it. */
export interface ChildOfChange {
  readonly change: { readonly outpoint: string; readonly index: number; readonly units: bigint };
  readonly terms: FeeTerms;
}

/** A transaction and the terms that it was signed with. */
export interface SignedTerms {
  readonly transaction: SignedTransaction;
  readonly terms: FeeTerms;
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
  /** The blocks after which a payout is paid, its own included. Absent where it waits until it is final. */
  readonly payoutDepth?: number;
  /** Returns why the payment can never be made. */
  refusalOf(payment: ChainPayment): string | undefined;
  /** Returns the units for each virtual byte that the network takes now. Throws `FeeTooHigh`. */
  feeRate(): Promise<bigint>;
  costOf(send: Pick<ChainSend, "outputs">, rate: bigint): CoinCost;
  /** Returns the terms of a send whose coins were taken: the coins and the change. Throws `FeeTooHigh`. */
  termsOf(send: ChainSend, rate: bigint): FeeTerms;
  readonly raising: CoinRaising;
  readonly batch: BatchRules;
  /** Absent where coins are never consolidated. */
  readonly consolidation?: ConsolidationRules;
  /** Returns the fee and the size of the transaction. */
  weigh(signed: SignedTerms): FeeAndSize;
  /** Returns the terms of a version with a higher fee. Undefined where its change or the limit does not allow one. */
  replacementOf(stuck: SignedTerms, rate: bigint): FeeTerms | undefined;
  /**
   * Returns a child of the newest transaction. Its fee pays for all transactions that no block has, which `unmined`
   * weighs. Undefined where there is no change, or where the change or the limit does not allow a child.
   */
  childOf(
    newest: SignedTerms,
    raise: { readonly id: string; readonly rate: bigint; readonly unmined: FeeAndSize },
  ): ChildOfChange | undefined;
  /** Returns whether enough nodes have the transaction. */
  isKnown(hash: string): Promise<boolean>;
}
