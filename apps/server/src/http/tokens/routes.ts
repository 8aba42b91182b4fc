import {
  type Customer,
  ENDPOINTS,
  type Outgoing,
  type PublicToken,
  type SessionLock,
} from "@exchange/contract";
import type { SessionCustomer } from "../../domain/sessions/session.ts";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { type CreatedToken, createToken } from "../../flows/sessions/create-token.ts";
import type { TermsWish } from "../../flows/sessions/resolve-terms.ts";
import type { Register } from "../registrar.ts";
import { created, toExact, toOperation } from "../wire.ts";

export function registerTokens(register: Register, deps: Deps): void {
  register(ENDPOINTS.createPublicToken, async ({ caller, body }) => {
    const { lock, customer, returnUrl } = body;
    const token = await createToken(deps, {
      merchant: caller.merchant,
      sessionId: body.sessionId,
      scope: body.scope,
      lifetimeSeconds: body.expiresIn,
      lock: lock && toTermsWish(lock),
      customer: customer && toCustomer(deps, customer),
      returnUrl: returnUrl === undefined ? undefined : toReturnUrl(returnUrl),
      locale: body.locale,
      metadata: body.metadata,
    });
    return created(presentToken(token), "The public token was created.");
  });
}

const presentToken = (token: CreatedToken): Outgoing<PublicToken> => ({
  accessToken: token.accessToken,
  tokenType: "Bearer",
  expiresIn: token.lifetimeSeconds,
  expiresAt: token.expiresAt,
  scope: token.scope,
  jti: token.jti,
});

const toTermsWish = (lock: SessionLock): TermsWish => ({
  operation: lock.operationType && toOperation(lock.operationType),
  spendCurrency: lock.baseCurrency,
  spendAmount: lock.baseAmount === undefined ? undefined : toExact(lock.baseAmount),
  receiveCurrency: lock.targetCurrency,
  paymentMethod: lock.paymentMethod,
  walletAddress: lock.walletAddress,
  networkCode: lock.networkCode,
});

function toCustomer(deps: Deps, customer: Customer): SessionCustomer {
  if (customer.countryCode === undefined) return customer as SessionCustomer;
  const country = deps.catalogue().country(customer.countryCode);
  if (country) return { ...customer, countryCode: country.code };
  throw new Refusal("INVALID_COUNTRY", {
    details: [{ path: "body.customer.countryCode", issue: "is not a country" }],
  });
}

/** Requires a link for the popup to be a web address, so that it cannot execute code. */
function toReturnUrl(text: string): string {
  if (URL.canParse(text)) return new URL(text).href;
  throw new Refusal("INVALID_INPUT", {
    message: "The request is not valid: body.returnUrl is not a web address.",
    details: [{ path: "body.returnUrl", issue: "is not a web address" }],
  });
}
