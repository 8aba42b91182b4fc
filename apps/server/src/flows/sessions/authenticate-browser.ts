import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Session } from "../../domain/sessions/session.ts";
import { findSession } from "../../storage/sessions/sessions.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

export interface BrowserIdentity {
  readonly merchant: Merchant;
  readonly session: Session;
  readonly tokenJti: string;
}

/**
 * Returns the session that a public token belongs to. The session's row decides: a replaced token
 * and a token of a deleted merchant are refused at once. A used session may still read its order.
 */
export async function authenticateBrowser(deps: Deps, token: string): Promise<BrowserIdentity> {
  const verdict = await deps.tokens.verify(token);
  if (!verdict.ok) {
    throw new Refusal(verdict.reason === "expired" ? "TOKEN_EXPIRED" : "TOKEN_INVALID");
  }
  const { claims } = verdict;
  const merchant = deps.directory().merchant(claims.merchantId);
  const session = merchant && (await findSession(deps.database, claims));
  if (!merchant || !session || session.tokenJti !== claims.jti) throw new Refusal("TOKEN_INVALID");
  return { merchant, session, tokenJti: claims.jti };
}
