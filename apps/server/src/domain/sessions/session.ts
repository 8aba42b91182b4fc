import type { Operation } from "../catalogue/operation.ts";

/**
 * The terms that the merchant's server fixed for one session. The popup shows them and refuses to change
 * them, and so does every call with the session's token.
 */
export interface SessionTerms {
  readonly operation?: Operation;
  /** Currency reference, such as "cad". */
  readonly spendCurrency?: string;
  /** Major units in fixed notation. */
  readonly spendAmount?: string;
  /** Currency reference, such as "usdt-tron". */
  readonly receiveCurrency?: string;
  /** Payment method reference, such as "card". */
  readonly paymentMethod?: string;
  readonly walletAddress?: string;
  readonly networkCode?: string;
  readonly memo?: string;
  /** The address needs no memo, and none may be added. */
  readonly withoutMemo?: true;
}

/** The merchant's details of the customer. Every member is optional. */
export interface SessionCustomer {
  readonly reference?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  /** Two upper-case letters. */
  readonly countryCode?: string;
}

/** A session as it is stored: the data about the customer is sealed. */
export interface StoredSession {
  readonly merchantId: string;
  readonly sessionId: string;
  /** `expired` after an order was placed in it. */
  readonly status: "active" | "expired";
  /** The id of the only valid token. */
  readonly tokenJti: string;
  readonly tokenExpiresAt: Date;
  readonly scope: readonly string[];
  readonly lock: SessionTerms;
  /** Null when the merchant sent nothing about the customer. */
  readonly personal: Uint8Array | null;
  /** The sealed key of `personal` and of the session's order. Null when there is none, or none any more. */
  readonly dataKey: Uint8Array | null;
  readonly locale: string | null;
  readonly orderId: bigint | null;
  readonly createdAt: Date;
}

/** The merchant's id that ties one public token to one order. */
export type Session = Omit<StoredSession, "personal"> & {
  readonly customer: SessionCustomer;
  readonly returnUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
};
