import type { Money } from "@exchange/money";
import type { RailStatement } from "./rail-statement.ts";

/** Our account for one kind of bank transfer, as a payer needs it, line by line. */
export interface ReceivingAccount {
  readonly lines: readonly { readonly label: string; readonly value: string }[];
}

/** A transfer that came in, or is coming, under a reference of ours. */
export interface BankDeposit {
  readonly id: string;
  /** The currency's reference, such as "eur", and its minor units. */
  readonly assetReference: string;
  readonly units: bigint;
  readonly state: "in_flight" | "settled" | "rejected";
}

/** Money we owe outside a chain: to a bank account, a card, a mobile wallet or a pickup counter. */
export interface BankPayout {
  /** Our name for it; the same one is never paid twice. */
  readonly intentId: string;
  /** How it is paid: the delivery method's reference and type, or a payment method's for a refund. */
  readonly method: string;
  readonly amount: Money;
  /** What the delivery method asked for, by field name; empty for a return to the sender. */
  readonly fields: Readonly<Record<string, string>>;
  /** For a refund: the incoming transfer it returns. */
  readonly returns: string | null;
}

/** A payment order ready to be submitted: stored before it is. */
export interface PreparedPayout {
  readonly reference: string;
  readonly bytes: Uint8Array;
}

export interface SeenPayout {
  /** `rejected` is the bank's word that nothing was paid, or that it came back whole. */
  readonly state: "pending" | "settled" | "rejected";
  readonly reason: string | null;
}

/**
 * Takes and sends fiat. Preparing has no outside effect; submitting the same bytes again is harmless.
 * A lost answer throws: unknown, never failed.
 */
export interface BankGateway {
  readonly name: string;
  receivingAccount(request: {
    /** The payment method's reference. */
    readonly method: string;
    readonly currencyCode: string;
    readonly reference: string;
  }): Promise<ReceivingAccount>;
  depositsTo(reference: string): Promise<readonly BankDeposit[]>;
  prepare(payout: BankPayout): Promise<PreparedPayout>;
  submit(prepared: PreparedPayout): Promise<void>;
  /** Undefined when the bank never heard of the reference. */
  lookUp(reference: string): Promise<SeenPayout | undefined>;
  /** Its own list of what moved, for the audit; absent where it has none. */
  readonly statement?: RailStatement;
}
