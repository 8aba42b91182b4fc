import { type Endpoint, type KeyScope, keyScopeOf } from "@exchange/contract";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { ApiKey, Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Deps } from "../../flows/deps.ts";
import { authenticateMerchant, type MerchantIdentity } from "../../flows/merchants/authenticate.ts";
import type { KeyUses } from "../../flows/merchants/key-uses.ts";
import { Refusal } from "../../flows/refusal.ts";
import {
  findBrowser,
  findOrderPage,
  verifyPublicToken,
} from "../../flows/sessions/authenticate-browser.ts";
import { holderOf } from "../limits/holder.ts";
import { merchantRateClass, type RateLimiters, spend } from "../limits/rate-limits.ts";
import { type BrowserCaller, hasScope } from "./caller.ts";
import { isOwnOrigin } from "./own-origin.ts";

/**
 * Makes the hook that authorizes calls of an endpoint: the caller, its scope and its rate limit.
 */
export type Authorize = (endpoint: Endpoint) => onRequestAsyncHookHandler;

const BEARER = /^Bearer ([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

interface Exchanged {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Parts {
  readonly deps: Deps;
  readonly limiters: RateLimiters;
  readonly keyUses: KeyUses;
}

/** The hook runs before the body is read, so an unauthorized call costs one comparison. */
export function makeAuthorize(parts: Parts): Authorize {
  const { deps, limiters } = parts;
  return (endpoint) => {
    switch (endpoint.caller) {
      case "merchant":
        return authorizeMerchant(parts, endpoint);
      case "browser":
        return authorizeBrowser(deps, limiters, endpoint);
      case "anybody":
        return async () => {}; // Counted with every other route that needs no credentials.
    }
  };
}

function authorizeMerchant(
  { deps, limiters, keyUses }: Parts,
  endpoint: Endpoint,
): onRequestAsyncHookHandler {
  const limiter = limiters[merchantRateClass(endpoint)];
  const scope = keyScopeOf(endpoint);
  return async (request, reply) => {
    const { merchant, key } = await identifyMerchant(deps, limiters, { request, reply });
    request.caller = { kind: "merchant", merchant, keyId: key.id, keyScopes: key.scopes };
    keyUses.note(key.id, request.ip);
    spend(limiter.take(merchant.id), reply);
    requireKeyScope(key, scope);
  };
}

async function identifyMerchant(
  deps: Deps,
  limiters: RateLimiters,
  { request, reply }: Exchanged,
): Promise<MerchantIdentity> {
  try {
    return await authenticateMerchant(deps, {
      apiKey: soleHeader(request.headers["x-api-key"]),
      clientId: soleHeader(request.headers["x-client-id"]),
      address: request.ip,
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === "UNAUTHORIZED") {
      spend(await limiters.failures.take(holderOf(request.ip)), reply);
    }
    throw error;
  }
}

function requireKeyScope({ scopes }: ApiKey, scope: KeyScope): void {
  if (scopes.includes(scope)) return;
  throw new Refusal("INSUFFICIENT_SCOPE", {
    message: `The API key lacks the scope ${scope}. Use a key that has it.`,
    details: [{ path: "headers.x-api-key", issue: `lacks the scope ${scope}` }],
    logged: { scope },
  });
}

const soleHeader = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

function authorizeBrowser(
  deps: Deps,
  limiters: RateLimiters,
  endpoint: Endpoint,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    // A browser names the page's origin on every cross-origin call and on every POST.
    if (!isOwnOrigin(deps, request.headers)) {
      spend(limiters.anonymous.take(holderOf(request.ip)), reply);
      throw new Refusal("ORIGIN_NOT_ALLOWED");
    }
    const caller = await identifyBrowser(deps, limiters, { request, reply });
    requireAllowed(caller, endpoint);
    request.caller = caller;
  };
}

function requireAllowed(caller: BrowserCaller, { scope, onOrderPage }: Endpoint): void {
  if (caller.tokenJti === null) {
    if (onOrderPage) return;
    throw new Refusal("INSUFFICIENT_SCOPE", {
      message:
        "The page of an order calls the endpoints of that order alone. docs/reference/endpoints.md lists them.",
    });
  }
  if (scope === undefined || hasScope(caller, scope)) return;
  throw new Refusal("INSUFFICIENT_SCOPE", {
    message: `The public token lacks the scope ${scope}.`,
  });
}

/** The checkout names the merchant whose page shows it. A token of another merchant is refused. */
function refuseOtherMerchant(merchant: Merchant, named: string | string[] | undefined): void {
  if (named !== undefined && named !== merchant.id) throw new Refusal("TOKEN_INVALID");
}

async function identifyBrowser(
  deps: Deps,
  limiters: RateLimiters,
  { request, reply }: Exchanged,
): Promise<BrowserCaller> {
  try {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) throw new Refusal("TOKEN_INVALID");
    const orderId = deps.orderPages.orderOf(token);
    if (orderId !== undefined) {
      spend(limiters.browser.take(`order ${orderId}`), reply);
      return { kind: "browser", ...(await findOrderPage(deps, orderId)) };
    }
    const claims = await verifyPublicToken(deps, token);
    // Spent before the database is asked, since a replaced token is genuine too.
    spend(limiters.browser.take(claims.jti), reply);
    const browser = await findBrowser(deps, claims);
    refuseOtherMerchant(browser.merchant, request.headers["x-client-id"]);
    return { kind: "browser", ...browser };
  } catch (error) {
    if (error instanceof Refusal && error.code === "TOKEN_INVALID") {
      spend(await limiters.failures.take(holderOf(request.ip)), reply);
    }
    // An expired token was once right, so it is not a failed credential.
    if (error instanceof Refusal && error.code === "TOKEN_EXPIRED") {
      spend(limiters.anonymous.take(holderOf(request.ip)), reply);
    }
    throw error;
  }
}
