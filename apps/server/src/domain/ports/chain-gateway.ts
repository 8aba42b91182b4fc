import type { BatchRules } from "../payouts/batches.ts";
import type { Deadline } from "../payouts/release-text.ts";
import type { RailStatement, StatementLine } from "./rail-statement.ts";

/**
 * A place of a chain. At most one of the transactions that are signed at one place is ever mined. The place is committed
 * before any of them is signed. On chains with accounts it is a nonce (docs/decisions/0056-bind-a-payout-to-a-place.md),
 * and on chains of the Bitcoin family it is the coins that are spent. A deadline excludes nothing, so it has one
 * transaction (docs/decisions/0075-pay-on-tron-by-deadlines.md).
 */
export type ChainPlace =
  | { readonly kind: "nonce"; readonly nonce: bigint }
  | { readonly kind: "coins"; readonly coins: readonly WalletCoin[] }
  | ({ readonly kind: "until" } & Deadline);

/** A coin of our wallet, and the path from the wallet's account to its key. */
export interface WalletCoin {
  /** The transaction and the number of its output, as in `<64 digits>:0`. */
  readonly outpoint: string;
  readonly units: bigint;
  /** 0 for addresses that are paid, 1 for change. */
  readonly branch: 0 | 1;
  readonly index: number;
}

/** Coins for one address. `units` are the asset's smallest units. */
export interface ChainOutput {
  /** The id of the payout, or of the send itself where it stays with us. */
  readonly intentId: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: bigint;
}

/** A payout that has no place yet. */
export interface ChainPayment extends ChainOutput {
  readonly networkCode: string;
}

/** The answer to the question whether a payout could be made now. */
export type Preflight =
  | { readonly state: "clear" }
  /** The chain cannot answer yet, so the question is repeated later. */
  | {
      readonly state: "wait";
      readonly why: string;
      readonly askAgainMs: number;
      /** Every payout of the network waits for the same reason, such as its fees. */
      readonly concernsAll?: true;
    }
  /** A person may allow the payout, with approvals or another limit. */
  | { readonly state: "hold"; readonly why: string }
  /** The payout would move nothing. */
  | { readonly state: "rejected"; readonly why: string };

/** A bound payout is not signed now, because the wallet lacks the coins or others need them. It is asked for again later. */
export class PayoutWaits extends Error {
  override readonly name: string = "PayoutWaits";
  readonly askAgainMs: number;

  constructor(why: string, askAgainMs: number) {
    super(why);
    this.askAgainMs = askAgainMs;
  }
}

/** The one thing that our wallet does at a place, however often it is signed. */
export interface ChainSend {
  readonly id: string;
  readonly networkCode: string;
  /**
   * `cancel`: a transaction of nothing to ourselves, which fills a place that a stopped payout left. `raise`: one of a
   * payout's change to ourselves, whose fee pays for the payout's transaction too. `rebalance`: many coins of the hot
   * wallet become one.
   */
  readonly purpose: "payout" | "cancel" | "sweep" | "top_up" | "raise" | "rebalance";
  /** The gas tank sends it. Absent where the hot wallet or a deposit address does. */
  readonly payer?: "gas_tank";
  /** Null for a payout that the chain made before a restore: it is followed by its hash and never signed. */
  readonly place: ChainPlace | null;
  /** None for a cancel, a raise or a rebalance. */
  readonly outputs: readonly ChainOutput[];
  /** Its order is completed already, so nobody asks whether it is paid before it is final. */
  readonly isPaid?: true;
}

/** A signed transaction and its hash. Store it before you broadcast it. */
export interface SignedTransaction {
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

/**
 * The outcome of a place: one for all transactions that were ever signed at it. `askAgainMs` is how soon
 * another question is worth asking; it grows while nothing happens.
 */
export type SendOutcome =
  /** No block has any of them. `isKnown`: the network has the newest. `isStuck`: it waits longer than usual. */
  | {
      readonly state: "waiting";
      readonly isKnown: boolean;
      readonly isStuck: boolean;
      readonly askAgainMs: number;
    }
  /**
   * A block has one of them, and the block may still be dropped. `isPaid`: it is as deep as the network's payouts need,
   * and exactly the outputs moved. Absent where payouts wait until they are final.
   */
  | {
      readonly state: "mined";
      readonly hash: string;
      readonly confirmations: number;
      readonly isPaid?: boolean;
      readonly askAgainMs: number;
    }
  /**
   * The transaction is final, and exactly the outputs moved. `networkFee`: its cost, in the smallest units of the
   * network's own coin.
   */
  | {
      readonly state: "final";
      readonly hash: string;
      readonly confirmations: number;
      readonly networkFee: bigint;
    }
  /** The transaction is final, and nothing moved. Its fee was paid nevertheless. */
  | {
      readonly state: "failed";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: bigint;
    }
  /** The transaction is final, and moved something else than the outputs. */
  | {
      readonly state: "mismatch";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: bigint;
    }
  /** None of them can ever be mined: the final transaction `by` has the place, and we did not sign it. */
  | { readonly state: "dead"; readonly by: string }
  /** None can be mined: our final transaction `by` replaced the one that made its coin, or its deadline passed. */
  | { readonly state: "lost"; readonly by: string };

/** The address for an order's coins. */
export interface DepositAddress {
  readonly networkCode: string;
  readonly address: string;
  readonly memo: string | null;
}

/** Coins seen at a deposit address. `id` is the transaction hash and the output number. */
export interface ChainDeposit {
  readonly id: string;
  readonly assetReference: string;
  readonly units: bigint;
  /** `orphaned`: its block was dropped. A lagging node reports no deposit instead. */
  readonly state: "mempool" | "in_block" | "orphaned";
  readonly confirmations: number;
  readonly blockHash: string | null;
  /** How soon another question about it is worth asking, until it is final. */
  readonly askAgainMs: number;
  /**
   * Whether it can no longer be dropped. Absent where the number of confirmations alone decides. Either way it waits
   * for the confirmations that its amount needs.
   */
  readonly isFinal?: boolean;
}

/**
 * Sends and receives coins. Signing has no outside effect. Broadcasting the same bytes again is harmless,
 * so stored bytes are broadcast as often as needed. A lost answer throws: the outcome is unknown.
 */
export interface ChainGateway {
  readonly name: string;
  /** Throws `PayoutWaits` if the wallet lacks the coins, or other payouts need them first. */
  sign(send: ChainSend): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** `signed`: the transactions of the place, the newest last. */
  follow(send: ChainSend, signed: readonly SignedTransaction[]): Promise<SendOutcome>;
  /**
   * Signs again at the same place with a higher fee. Absent if fees cannot be raised. Returns undefined where a send of
   * its own raises the fee.
   */
  replace?(send: ChainSend, stuck: SignedTransaction): Promise<SignedTransaction | undefined>;
  /** Asks whether a payout could be made now, before it takes a place. Absent if there is nothing to ask. */
  preflight?(payment: ChainPayment): Promise<Preflight>;
  /** Returns how payouts on the network share transactions. Undefined or absent where each has its own. */
  batchOf?(networkCode: string): BatchRules | undefined;
  /** Returns whether payouts can be made on the network. Absent if they can be made on each. */
  paysOn?(networkCode: string): boolean;
  /** Returns whether deposits can be taken on the network. Absent if they can be taken on each. */
  takesOn?(networkCode: string): boolean;
  /** Returns a reference's own address. It never changes. */
  depositAddress(request: {
    readonly networkCode: string;
    readonly reference: string;
  }): Promise<DepositAddress>;
  depositsTo(address: DepositAddress): Promise<readonly ChainDeposit[]>;
  /** Returns the wallet's next place, after all that the network has seen. Absent if places have no order. */
  nextPlace?(networkCode: string): Promise<bigint>;
  /** The same for the network's gas tank. 0 where it has none. */
  tankPlace?(networkCode: string): Promise<bigint>;
  /**
   * Asks the nodes for transactions of our hot wallets that no block has and the database does not know. Absent if
   * nothing waits for a block.
   */
  unmined?(): Promise<readonly StatementLine[]>;
  /**
   * Asks the nodes how far their chains are. Returns a line for each network whose blocks were not read so far: the
   * statement may lack movements of it. Absent if the statement is the rail's own.
   */
  unread?(): Promise<readonly StatementLine[]>;
  /** The chain's own list of movements, for the audit. Absent if it has none. */
  readonly statement?: RailStatement;
}
