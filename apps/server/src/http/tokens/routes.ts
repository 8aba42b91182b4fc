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
import { requireCountry } from "../../flows/requirements.ts";
import { type CreatedToken, createToken } from "../../flows/sessions/create-token.ts";
import type { TermsWish } from "../../flows/sessions/resolve-terms.ts";
import type { Register } from "../registrar.ts";
import { created, toExact, toOperation } from "../wire.ts";

export function registerTokens(register: Register, deps: Deps): void {
  register(ENDPOINTS.createPublicToken, async ({ caller, body, deps: joined }) => {
    const { lock, customer, returnUrl } = body;
    const token = await createToken(joined, {
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
  memo: lock.memo,
  withoutMemo: lock.withoutMemo,
});

function toCustomer(deps: Deps, customer: Customer): SessionCustomer {
  const { countryCode: code } = customer;
  if (code === undefined) return customer as SessionCustomer;
  const country = requireCountry(deps.catalogue(), { code, field: "customer.countryCode" });
  return { ...customer, countryCode: country.code };
}

/** Requires a link for the popup to be a web address, so that it cannot execute code. */
function toReturnUrl(text: string): string {
  if (URL.canParse(text)) return new URL(text).href;
  throw new Refusal("INVALID_INPUT", {
    message: "The request is not valid: body.returnUrl is not a web address.",
    details: [{ path: "body.returnUrl", issue: "is not a web address" }],
  });
}
