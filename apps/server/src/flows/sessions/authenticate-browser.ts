import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { TokenClaims } from "../../domain/ports/token-signer.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { findSession, findSessionOfPage } from "../../storage/sessions/sessions.ts";
import { unsealSession } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { findMerchant } from "../merchants/find.ts";
import { Refusal } from "../refusal.ts";

export interface BrowserIdentity {
  readonly merchant: Merchant;
  readonly session: Session;
  /** Null for the page of the session's order, which has a secret and not a token. */
  readonly tokenJti: string | null;
}

/** Returns the claims of a genuine token that has not expired. It reads memory only. */
export async function verifyPublicToken(
  deps: Pick<Deps, "tokens">,
  token: string,
): Promise<TokenClaims> {
  const verdict = await deps.tokens.verify(token);
  if (verdict.ok) return verdict.claims;
  throw new Refusal(verdict.reason === "expired" ? "TOKEN_EXPIRED" : "TOKEN_INVALID");
}

/**
 * Returns the session that a genuine public token belongs to. The session's row decides: a replaced
 * or revoked token is refused at once. A token of a disabled merchant is refused within a second. A
 * used session may still read its order.
 */
export async function findBrowser(
  deps: Pick<Deps, "database" | "directory" | "dataKeys" | "lookUp">,
  claims: TokenClaims,
): Promise<BrowserIdentity> {
  const merchant = await findMerchant(deps, claims.merchantId);
  const session = merchant && (await findSession(deps.database, claims));
  if (!merchant || !session || session.tokenJti !== claims.jti) {
    const { merchantId, jti } = claims;
    const missing = merchant ? "unknown_session" : "disabled_merchant";
    const reason = session ? "replaced_token" : missing;
    throw new Refusal("TOKEN_INVALID", { logged: { reason, merchantId, jti } });
  }
  return { merchant, session: unsealSession(deps, session), tokenJti: claims.jti };
}

/**
 * Returns the session of an order whose page a genuine secret names. A revoked page is refused at once, and so is the
 * page of an erased customer. A page of a disabled merchant is refused within a second.
 */
export async function findOrderPage(
  deps: Pick<Deps, "database" | "directory" | "dataKeys" | "lookUp">,
  orderId: bigint,
): Promise<BrowserIdentity> {
  const session = await findSessionOfPage(deps.database, orderId);
  const merchant = session && (await findMerchant(deps, session.merchantId));
  if (!merchant || session.dataKey === null) {
    const reason = session && !merchant ? "disabled_merchant" : "revoked_page";
    throw new Refusal("TOKEN_INVALID", { logged: { reason, orderId: String(orderId) } });
  }
  return { merchant, session: unsealSession(deps, session), tokenJti: null };
}

/** Whether a token or a page still opens its session: its merchant is enabled, and it was neither replaced nor revoked. */
export async function isCurrentToken(
  deps: Pick<Deps, "database" | "directory">,
  { session, tokenJti }: Pick<BrowserIdentity, "session" | "tokenJti">,
): Promise<boolean> {
  if (!deps.directory().merchant(session.merchantId)) return false;
  if (tokenJti !== null) return (await findSession(deps.database, session))?.tokenJti === tokenJti;
  const { orderId } = session;
  return orderId !== null && (await findSessionOfPage(deps.database, orderId)) !== undefined;
}
