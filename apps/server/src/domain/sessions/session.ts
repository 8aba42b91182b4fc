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

/** The merchant's id that ties one public token to one order. */
export interface Session {
  readonly merchantId: string;
  readonly sessionId: string;
  /** `expired` after an order was placed in it. */
  readonly status: "active" | "expired";
  /** The id of the only valid token. */
  readonly tokenJti: string;
  readonly tokenExpiresAt: Date;
  readonly scope: readonly string[];
  readonly lock: SessionTerms;
  readonly customer: SessionCustomer;
  readonly returnUrl: string | null;
  readonly locale: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly orderId: bigint | null;
  readonly createdAt: Date;
}
