import type { Money } from "@exchange/money";
import type { RailStatement } from "./rail-statement.ts";

/** Our account for one kind of bank transfer: the lines that a payer needs. */
export interface ReceivingAccount {
  readonly lines: readonly { readonly label: string; readonly value: string }[];
}

/** An incoming transfer with one of our references, in flight or arrived. */
export interface BankDeposit {
  readonly id: string;
  /** The currency's reference, such as "eur", and its minor units. Both may change until it is settled. */
  readonly assetReference: string;
  readonly units: bigint;
  readonly state: "in_flight" | "settled" | "rejected";
  /** How soon another question is worth asking while it is in flight. */
  readonly askAgainMs: number;
}

/** Money we owe outside a chain: to a bank account, a card, a mobile wallet or a pickup counter. */
export interface BankPayout {
  /** Our reference. The same reference is never paid twice. */
  readonly intentId: string;
  /** The delivery method's reference and type, or the payment method's for a refund. */
  readonly method: string;
  readonly amount: Money;
  /** The payout fields of the delivery method, by name; empty for a return to the sender. */
  readonly fields: Readonly<Record<string, string>>;
  /** For a refund: the incoming transfer that it returns. */
  readonly returns: string | null;
}

/**
 * A payment order that is ready to be submitted. Store it first. Its bytes are stored in the clear and permanently,
 * so they must not contain a name or an account number. Those are in `fields`, which can be read again while the
 * order is under way.
 */
export interface PreparedPayout {
  readonly reference: string;
  readonly bytes: Uint8Array;
}

export interface SeenPayout {
  /** `rejected`: the bank states that it paid nothing, or that all of it came back. */
  readonly state: "pending" | "settled" | "rejected";
  readonly reason: string | null;
  /** How soon another question is worth asking while it is pending. It grows while nothing happens. */
  readonly askAgainMs: number;
}

/**
 * Receives and sends fiat. Preparing has no outside effect. Submitting the same bytes again is harmless. A
 * lost answer throws: the outcome is unknown, never failed.
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
  /** Returns undefined when the bank never received the reference. */
  lookUp(reference: string): Promise<SeenPayout | undefined>;
  /** The bank's own list of movements, for the audit. Absent if it has none. */
  readonly statement?: RailStatement;
}
