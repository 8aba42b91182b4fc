import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Session } from "../../domain/sessions/session.ts";

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
