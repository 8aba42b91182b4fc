import type { OrderCustomer } from "../orders/order.ts";
import type { SessionCustomer } from "../sessions/session.ts";

/** The personal data of a session, which is sealed as a whole. */
export interface SessionPerson {
  readonly customer: SessionCustomer;
  readonly metadata: Readonly<Record<string, string>>;
  /** A merchant may put anything into the query of its own URL. */
  readonly returnUrl: string | null;
}

/** The personal data of an order, which is sealed as a whole. */
export interface OrderPerson {
  readonly customer: OrderCustomer;
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields that the delivery method asked for, such as an IBAN. */
  readonly payoutFields: Readonly<Record<string, string>>;
  /** The same fields, masked, so that people recognise them. */
  readonly payoutShown: Readonly<Record<string, string>>;
}

/** The names beside a saved wallet. Empty when the merchant sent none. */
export interface WalletPerson {
  readonly firstName: string;
  readonly lastName: string;
}

/** The empty data of a session whose data key was destroyed. */
export const NO_SESSION_PERSON: SessionPerson = { customer: {}, metadata: {}, returnUrl: null };

/** The empty data of an order whose data key was destroyed. */
export const NO_ORDER_PERSON: OrderPerson = {
  customer: {},
  metadata: {},
  payoutFields: {},
  payoutShown: {},
};

/** The empty data of a wallet whose data key was destroyed. */
export const NO_WALLET_PERSON: WalletPerson = { firstName: "", lastName: "" };

/**
 * Identifies a customer of a merchant: by the merchant's reference, or by an e-mail address. The service has no
 * accounts of customers, so these are the only marks that two orders of one person share.
 */
export type CustomerKey = { readonly merchantId: string } & (
  | { readonly reference: string }
  | { readonly email: string }
);

/** Two spellings of one address that differ in letter case are the same customer. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
