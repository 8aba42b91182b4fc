import type { DepositAddress } from "../../domain/ports/chain-gateway.ts";

/** Where somebody pays: an address of ours, or our bank account under a reference. */
export type SandboxTarget =
  | { readonly rail: "chain"; readonly to: DepositAddress }
  | { readonly rail: "bank"; readonly reference: string };

/** Money that somebody sends us. */
export interface SandboxPayment {
  readonly id: string;
  readonly target: SandboxTarget;
  /** The currency's reference, whether or not it is the one asked for. */
  readonly assetReference: string;
  readonly units: bigint;
  /** On a chain; a bank transfer is in flight with none and settled with any. */
  readonly confirmations: number;
  /** What the sender's bank does with its money when it comes back; coins always arrive. */
  readonly returns: "accepted" | "rejected";
}

/** The same, as the world sees it. */
export interface SandboxDeposit {
  readonly id: string;
  /** The rail's own name of it, as its gateway reports it. */
  readonly externalId: string;
  readonly rail: "chain" | "bank";
  readonly assetReference: string;
  readonly units: bigint;
  readonly state: "mempool" | "in_block" | "orphaned" | "in_flight" | "settled" | "rejected";
  readonly confirmations: number;
  readonly transactionHash: string | null;
}

/** What may happen to money on its way. */
export type SandboxDepositChange =
  | { readonly kind: "confirm"; readonly confirmations: number }
  /** A bank rejects the transfer; a chain drops the block. */
  | { readonly kind: "drop" };

/** How a card payment goes that the sandbox itself starts. */
export type SandboxCardPlay = "approved" | "challenge" | "declined" | "three_ds_failed";

/**
 * The other side of the sandbox's rails: what people, banks and chains do there. It writes what they
 * would, and nothing of ours.
 */
export interface SandboxWorld {
  pay(payment: SandboxPayment): Promise<SandboxDeposit>;
  /** What came, or is coming, to a place, oldest first. */
  paymentsTo(target: SandboxTarget): Promise<readonly SandboxDeposit[]>;
  /** Undefined when it cannot happen: the transfer is settled or rejected already. */
  change(
    deposit: SandboxDeposit,
    change: SandboxDepositChange,
  ): Promise<SandboxDeposit | undefined>;
  /** The bank decides on a payout now; false when it has decided already, or knows none. */
  decidePayout(intentId: string, outcome: "settled" | "rejected"): Promise<boolean>;
  /**
   * The card's bank ends a payment that is not decided yet, under the attempt's id; false when it is,
   * or when the processor never heard of it.
   */
  endCardPayment(
    reference: string,
    end: "authorized" | "declined" | "authentication_failed",
  ): Promise<boolean>;
  /** The number of a test card for each play. */
  readonly cards: Readonly<Record<SandboxCardPlay, string>>;
}
