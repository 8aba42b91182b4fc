import type { DepositAddress } from "../../domain/ports/chain-gateway.ts";

/** A place to pay to: one of our addresses, or our bank account with a reference. */
export type SandboxTarget =
  | { readonly rail: "chain"; readonly to: DepositAddress }
  | { readonly rail: "bank"; readonly reference: string };

/** Money that an outside party sends to us. */
export interface SandboxPayment {
  readonly id: string;
  readonly target: SandboxTarget;
  /** The currency's reference. It may differ from the currency that the order asks for. */
  readonly assetReference: string;
  readonly units: bigint;
  /** Confirmations on a chain. A bank transfer is in flight with 0 and settled with more. */
  readonly confirmations: number;
  /** The answer of the sender's bank to a returned transfer. Returned coins always arrive. */
  readonly returns: "accepted" | "rejected";
}

/** A payment in the books of the world. */
export interface SandboxDeposit {
  readonly id: string;
  /** The rail's own id of the deposit, as its gateway reports it. */
  readonly externalId: string;
  readonly rail: "chain" | "bank";
  readonly assetReference: string;
  readonly units: bigint;
  readonly state: "mempool" | "in_block" | "orphaned" | "in_flight" | "settled" | "rejected";
  readonly confirmations: number;
  readonly transactionHash: string | null;
}

/** A change of money in flight. */
export type SandboxDepositChange =
  | { readonly kind: "confirm"; readonly confirmations: number }
  /** A bank rejects the transfer, or a chain drops the block. */
  | { readonly kind: "drop" };

/** The course of a card payment that the sandbox itself starts. */
export type SandboxCardPlay = "approved" | "challenge" | "declined" | "three_ds_failed";

/**
 * The outside of the sandbox's rails: payers, banks and chains. It writes only their books, never ours.
 */
export interface SandboxWorld {
  pay(payment: SandboxPayment): Promise<SandboxDeposit>;
  /** Returns the payments to a place, in flight or arrived, oldest first. */
  paymentsTo(target: SandboxTarget): Promise<readonly SandboxDeposit[]>;
  /** Returns undefined when the transfer is already settled or rejected. */
  change(
    deposit: SandboxDeposit,
    change: SandboxDepositChange,
  ): Promise<SandboxDeposit | undefined>;
  /**
   * Lets the bank decide on a payout now. Returns false when it has decided already or has no such payout.
   */
  decidePayout(intentId: string, outcome: "settled" | "rejected"): Promise<boolean>;
  /**
   * Lets the card's bank decide an open payment, named by the attempt's id. Returns false when it is
   * decided or the processor has no such payment.
   */
  endCardPayment(
    reference: string,
    end: "authorized" | "declined" | "authentication_failed",
  ): Promise<boolean>;
  /** The test card number for each course of a payment. */
  readonly cards: Readonly<Record<SandboxCardPlay, string>>;
}
