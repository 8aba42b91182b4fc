import type { PaidNetworkFee } from "../domain/ledger/house-entries.ts";
import type { Preflight } from "../domain/ports/chain-gateway.ts";

/**
 * The bytes that make a rail pay. They are stored before they are sent, so that they can be sent
 * again.
 */
export interface SignedPayout {
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

/** The outcome of a payout on its rail. */
export type PayoutOutcome =
  /** `isKnown`: the rail has the newest bytes. If it has not, the same bytes are sent again. */
  | {
      readonly state: "pending";
      readonly isKnown: boolean;
      readonly isStuck: boolean;
      /** The transaction that a block has. */
      readonly hash?: string;
      readonly confirmations: number;
      readonly askAgainMs: number;
    }
  /** The transaction is in a block as deep as the network's payouts need. The block may still be dropped. */
  | {
      readonly state: "paid";
      readonly hash: string;
      readonly confirmations: number;
      readonly askAgainMs: number;
    }
  | {
      readonly state: "settled";
      readonly hash: string;
      readonly confirmations: number;
      readonly networkFee?: PaidNetworkFee;
    }
  /** Nothing was paid, and nothing will be. */
  | { readonly state: "rejected" }
  /** The transaction is final, and nothing moved. */
  | {
      readonly state: "failed";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: PaidNetworkFee;
    }
  /** Something else than the payout moved. */
  | {
      readonly state: "mismatch";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: PaidNetworkFee;
    }
  /** The payout can never be made, because a transaction that we did not sign has its place. */
  | { readonly state: "dead"; readonly by: string }
  /** The signed payout can never be made, because of a final transaction of ours. It is planned again. */
  | { readonly state: "lost"; readonly by: string };

/** A rail for the payout job: the same steps on a chain, at a bank and at a card processor. */
export interface PayoutRail {
  /** Asks whether the payout could be made now, before it is bound. Absent if there is nothing to ask. */
  preflight?(): Promise<Preflight>;
  /** Throws `PayoutWaits` for a payout that waits after it was bound. It may have given up its place. */
  sign(): Promise<SignedPayout>;
  send(signed: SignedPayout): Promise<void>;
  /** `signed`: every signature of the payout, the newest last. At most one of them pays. */
  follow(signed: readonly SignedPayout[]): Promise<PayoutOutcome>;
  /** Signs again with a higher fee. Undefined where another transaction raises the fee. */
  replace?(stuck: SignedPayout): Promise<SignedPayout | undefined>;
  /** Returns the transactions of this payout that the rail's statement lists. */
  listStated?(): Promise<readonly string[]>;
}
