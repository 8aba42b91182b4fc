import type { ChainSend, SendOutcome, SignedTransaction } from "./chain-gateway.ts";
import type { DeadlineFacts, FeeTerms } from "./chain-sender.ts";

/** A send between two accounts of ours, by their names in the signer's policy. */
export interface OwnMove {
  readonly send: ChainSend;
  readonly from: SweepAccount;
  readonly to: SweepAccount;
}

export interface SweepAccount {
  /**
   * The name of the wallet, as in `ethereum-hot`, with the index of one address of many, as in
   * `ethereum-deposits/17`.
   */
  readonly name: string;
  readonly address: string;
}

/** The costs of a sweep, in units of the network's own coin. */
export interface SweepCosts {
  /** The fee that is offered, so that a block has the transaction soon. */
  readonly offered: bigint;
  /** The least fee that suffices now. */
  readonly least: bigint;
  /** The fee of a top-up before it. */
  readonly topUp: bigint;
  /** Present where the hot wallet pays the fee, and a sweep takes all coins of its address. */
  readonly isPaidByHot?: true;
}

/** The coins of an address. */
export interface FinalHolding {
  readonly units: bigint;
  /** Units of the network's own coin. */
  readonly coins: bigint;
  /** The next place after all final transactions. Null where transactions have deadlines. */
  readonly usedPlaces: bigint | null;
  /** The costs of a sweep from this address, where each address has its own. */
  readonly costs?: SweepCosts;
}

/** The fees of one moment. */
export interface SweepMarket {
  /** Returns the costs of a sweep of the asset, or of one that replaces the transaction `before`. It asks nobody. */
  costsOf(assetId: number, before?: SignedTransaction): SweepCosts;
}

/** The most that a transaction costs, and its terms. Null where the terms are made when the signer is asked. */
export interface TopUpOffer {
  readonly fee: bigint;
  readonly terms: FeeTerms | null;
}

/** Collects the coins of deposit addresses on one live network. It holds no key: the signer signs. */
export interface ChainSweeper {
  readonly networkCode: string;
  readonly hot: SweepAccount;
  /** The wallet that brings coins to deposit addresses: the gas tank, or the hot wallet. */
  readonly funder: SweepAccount;
  /** Returns the name of a deposit address in the signer's policy. Undefined where the rails file names none. */
  depositAccount(keyIndex: number): string | undefined;
  market(): Promise<SweepMarket>;
  /** Returns the terms of a sweep that may cost the fee. Null where they are made when the signer is asked. */
  termsOf(assetId: number, fee: bigint, before?: SignedTransaction): FeeTerms | null;
  /**
   * Returns an offer for a top-up at the present fees, as a payout has them. With `stuck` it replaces that
   * transaction. Absent where no address needs one. Throws `FeeTooHigh`.
   */
  topUpOffer?(to: string, stuck?: SignedTransaction): Promise<TopUpOffer>;
  /**
   * Makes the terms of a move whose transaction has a deadline, just before the signer is asked. Absent where a move has
   * them from the start. Throws `FeeTooHigh`.
   */
  deadlineTerms?(move: OwnMove): Promise<FeeTerms>;
  /** Throws `Disagreement` while no block is final. */
  holdingOf(address: string, assetId: number): Promise<FinalHolding>;
  /** Asks the signer. The same request has the same answer. Throws `SigningRefused`. */
  sign(move: OwnMove, terms: FeeTerms): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** Only networks where transactions have deadlines use the facts. */
  follow(
    move: OwnMove,
    signed: readonly SignedTransaction[],
    facts: DeadlineFacts,
  ): Promise<SendOutcome>;
  close(): Promise<void>;
}
