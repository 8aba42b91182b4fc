import type { Money } from "@exchange/money";
import type { RailStatement } from "./rail-statement.ts";

/** Result of 3-D Secure, in the terms of EMV 3DS 2.2. */
export interface ThreeDSecureResult {
  readonly version: string;
  readonly transStatus: "Y" | "A" | "N" | "U" | "R" | "C";
  readonly flow: "frictionless" | "challenge";
  /** Electronic commerce indicator as the card network defines it: Visa 05, Mastercard 02, … */
  readonly eci: string | null;
  /** CAVV, AAV or AEVV in base64; only with Y and A. */
  readonly authenticationValue: string | null;
  readonly dsTransId: string;
  readonly threeDSServerTransId: string;
  readonly acsTransId: string;
}

export type CardPaymentStatus =
  | "processing"
  | "challenge"
  | "authorized"
  | "captured"
  | "declined"
  | "authentication_failed"
  | "voided";

/** A card payment as its processor reports it, under our reference. */
export interface CardPayment {
  readonly reference: string;
  readonly status: CardPaymentStatus;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
}

/** A card as the processor keeps it: we hold the token, never the number. */
export interface TokenizedCard {
  readonly token: string;
  readonly brand: string;
  readonly lastFour: string;
}

export interface CardDetails {
  readonly number: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly cvv: string;
  readonly holderName: string;
}

/** A card the processor will not take, and why. */
export interface CardRefusal {
  readonly refused: "not_a_test_card" | "expired_card" | "invalid_card";
}

export interface TestCard {
  readonly number: string;
  readonly brand: string;
  readonly outcome: string;
}

/** Present only where card details may reach this service: a sandbox. Live fields are the provider's. */
export interface CardTokens {
  tokenize(card: CardDetails, now: Date): Promise<TokenizedCard | CardRefusal>;
  readonly testCards: readonly TestCard[];
}

export interface AuthorizeCard {
  /** Our name for this payment; the same reference is never charged twice. */
  readonly reference: string;
  readonly cardToken: string;
  readonly amount: Money;
}

/** A refund as the processor reports it, under our reference. */
export interface CardRefund {
  readonly status: "pending" | "refunded" | "rejected";
  readonly reason: string | null;
}

export interface RefundCard {
  /** Our name for this refund; the same reference is never refunded twice. */
  readonly reference: string;
  /** The captured payment it gives back, whole or in part. */
  readonly paymentReference: string;
  readonly amount: Money;
}

/** Gives captured money back. Absent where the processor cannot. */
export interface CardRefunds {
  refund(request: RefundCard): Promise<CardRefund>;
  /** Undefined when the reference never arrived. */
  lookUp(reference: string): Promise<CardRefund | undefined>;
}

/**
 * Takes card payments. Every method is idempotent by reference, so a caller that does not know
 * whether its call arrived may call again, or look up. A lost answer throws: unknown, never failed.
 */
export interface CardProcessor {
  readonly name: string;
  authorize(request: AuthorizeCard): Promise<CardPayment>;
  capture(reference: string): Promise<CardPayment>;
  void(reference: string): Promise<CardPayment>;
  /** Undefined when the reference never arrived. */
  lookUp(reference: string): Promise<CardPayment | undefined>;
  readonly tokens?: CardTokens;
  readonly refunds?: CardRefunds;
  /** Its own list of what moved, for the audit; absent where it has none. */
  readonly statement?: RailStatement;
}
