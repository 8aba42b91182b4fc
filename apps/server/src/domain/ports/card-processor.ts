import type { Money } from "@exchange/money";
import type { RailStatement, StatedAmount } from "./rail-statement.ts";

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

/** An amount as the processor states it, with the currency's reference, such as "eur". */
export type CardAmount = StatedAmount & { readonly assetReference: string };

/** A card payment as the processor reports it, with our reference. */
export interface CardPayment {
  readonly reference: string;
  readonly status: CardPaymentStatus;
  /**
   * The money that the processor authorized, or took where it is captured. It may be another amount than we wanted. Null
   * where it states none, and before an authorization.
   */
  readonly amount: CardAmount | null;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: ThreeDSecureResult | null;
  /** How soon another question is worth asking while it is processing or challenged. It grows while nothing happens. */
  readonly askAgainMs: number;
}

/** A card stored at the processor. We hold its token, never its number. */
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

/** The reason why the processor refuses a card. */
export interface CardRefusal {
  readonly refused: "not_a_test_card" | "expired_card" | "invalid_card";
}

export interface TestCard {
  readonly number: string;
  readonly brand: string;
  readonly outcome: string;
}

/**
 * Present only in a sandbox, where card details may reach this service. A live provider hosts its own
 * fields.
 */
export interface CardTokens {
  tokenize(card: CardDetails, now: Date): Promise<TokenizedCard | CardRefusal>;
  readonly testCards: readonly TestCard[];
}

export interface AuthorizeCard {
  /** Our reference. The same reference is never charged twice. */
  readonly reference: string;
  readonly cardToken: string;
  readonly amount: Money;
}

/** A refund as the processor reports it, with our reference. */
export interface CardRefund {
  readonly status: "pending" | "refunded" | "rejected";
  readonly reason: string | null;
  /** How soon another question is worth asking while it is pending. It grows while nothing happens. */
  readonly askAgainMs: number;
}

export interface RefundCard {
  /** Our reference. The same reference is never refunded twice. */
  readonly reference: string;
  /** The captured payment to refund, in full or in part. */
  readonly paymentReference: string;
  readonly amount: Money;
}

/** Refunds captured money. Absent if the processor cannot. */
export interface CardRefunds {
  refund(request: RefundCard): Promise<CardRefund>;
  /** Returns undefined when the reference never arrived. */
  lookUp(reference: string): Promise<CardRefund | undefined>;
}

/**
 * Takes card payments. Every method is idempotent by reference, so a caller that does not know whether its
 * call arrived may call again or look up. A lost answer throws: the outcome is unknown, never failed.
 */
export interface CardProcessor {
  readonly name: string;
  authorize(request: AuthorizeCard): Promise<CardPayment>;
  capture(reference: string): Promise<CardPayment>;
  void(reference: string): Promise<CardPayment>;
  /** Returns undefined when the reference never arrived. */
  lookUp(reference: string): Promise<CardPayment | undefined>;
  readonly tokens?: CardTokens;
  readonly refunds?: CardRefunds;
  /** The processor's own list of movements, for the audit. Absent if it has none. */
  readonly statement?: RailStatement;
}
