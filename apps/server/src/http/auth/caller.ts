import { CHECKOUT_SCOPES, type Scope } from "@exchange/contract";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { Refusal } from "../../flows/refusal.ts";

/** A merchant's server, identified by its credentials. */
export interface MerchantCaller {
  readonly kind: "merchant";
  readonly merchant: Merchant;
  readonly keyId: string;
  readonly keyScopes: readonly string[];
}

/** A customer's browser, identified by a public token of one session or by the page of its order. */
export interface BrowserCaller {
  readonly kind: "browser";
  readonly merchant: Merchant;
  readonly session: Session;
  /** Null for the page of the order. */
  readonly tokenJti: string | null;
}

export interface AnonymousCaller {
  readonly kind: "anybody";
}

export type Caller = MerchantCaller | BrowserCaller | AnonymousCaller;

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the body is read. */
    caller: Caller;
  }
}

/**
 * Whether the token has the scope: every token has those of the checkout of its own session. The page of an order has
 * no scopes, because its endpoints are listed one by one.
 */
export const hasScope = (
  { session, tokenJti }: Pick<BrowserCaller, "session" | "tokenJti">,
  scope: Scope,
): boolean =>
  tokenJti !== null &&
  (CHECKOUT_SCOPES.some((name) => name === scope) || session.scope.includes(scope));

/** The customer's country, if the merchant named it; else the merchant's country. */
export const customerCountry = ({ session, merchant }: BrowserCaller): string =>
  session.customer.countryCode ?? merchant.settings.countryCode;

/**
 * Refuses a call that starts something new in a session that has its order, before any other error.
 */
export function requireActiveSession({ session }: BrowserCaller): void {
  if (session.status === "active") return;
  throw new Refusal("SESSION_EXPIRED", { extra: { orderId: Number(session.orderId) } });
}
