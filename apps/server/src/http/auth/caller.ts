import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { Refusal } from "../../flows/refusal.ts";

/** A merchant's server, known by its credentials. */
export interface MerchantCaller {
  readonly kind: "merchant";
  readonly merchant: Merchant;
}

/** A customer's browser, known by a public token of one session. */
export interface BrowserCaller {
  readonly kind: "browser";
  readonly merchant: Merchant;
  readonly session: Session;
  readonly tokenJti: string;
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

/** Where the customer is, as far as the merchant told; else where the merchant sells. */
export const customerCountry = ({ session, merchant }: BrowserCaller): string =>
  session.customer.countryCode ?? merchant.settings.countryCode;

/** Refuses what would start anew in a session that has its order, whatever else is wrong with it. */
export function requireActiveSession({ session }: BrowserCaller): void {
  if (session.status === "active") return;
  throw new Refusal("SESSION_EXPIRED", { extra: { orderId: Number(session.orderId) } });
}
