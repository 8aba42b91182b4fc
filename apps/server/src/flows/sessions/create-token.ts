import { SCOPES, type Scope, WIRE_LIMITS } from "@exchange/contract";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { SessionCustomer, SessionTerms } from "../../domain/sessions/session.ts";
import { sealSession } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { requirePayable } from "./require-payable.ts";
import { resolveSessionTerms, type TermsWish } from "./resolve-terms.ts";

export interface CreateToken {
  readonly merchant: Merchant;
  readonly sessionId: string;
  /** Undefined or an empty list grants all scopes. */
  readonly scope?: readonly string[] | undefined;
  readonly lifetimeSeconds?: number | undefined;
  readonly lock?: TermsWish | undefined;
  readonly customer?: SessionCustomer | undefined;
  readonly returnUrl?: string | undefined;
  readonly locale?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface CreatedToken {
  readonly accessToken: string;
  readonly lifetimeSeconds: number;
  /** Unix seconds of the real clock. */
  readonly expiresAt: number;
  readonly scope: readonly Scope[];
  readonly jti: string;
}

/**
 * Opens the session and signs its public token. Until an order is placed in it, the same session
 * gets a new token and the older one stops working. After that it refuses SESSION_ALREADY_USED.
 * Refuses an unknown scope, and terms that no order could meet.
 */
export async function createToken(deps: Deps, command: CreateToken): Promise<CreatedToken> {
  const { merchant, sessionId } = command;
  const scope = grantScope(command.scope ?? []);
  const lock = resolveLock(deps, command);
  const lifetimeSeconds =
    command.lifetimeSeconds ??
    merchant.settings.tokenLifetimeSeconds ??
    WIRE_LIMITS.tokenLifetimeSecondsDefault;
  // Token times are real time, because the sandbox's business clock may run ahead.
  const issuedAt = Math.floor(Date.now() / 1000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const jti = deps.ids.uuid();
  const claims = { merchantId: merchant.id, sessionId, scope, jti, issuedAt, expiresAt };
  const [isOpen, accessToken] = await Promise.all([
    deps.openSession({
      merchantId: merchant.id,
      sessionId,
      tokenJti: jti,
      tokenExpiresAt: new Date(expiresAt * 1000),
      scope,
      lock,
      locale: command.locale ?? null,
      ...sealSession(
        deps,
        { merchantId: merchant.id, sessionId },
        {
          customer: command.customer ?? {},
          metadata: command.metadata ?? {},
          returnUrl: command.returnUrl ?? null,
        },
      ),
    }),
    deps.tokens.sign(claims),
  ]);
  if (!isOpen) throw new Refusal("SESSION_ALREADY_USED");
  return { accessToken, lifetimeSeconds, expiresAt, scope, jti };
}

function resolveLock(deps: Deps, { merchant, lock, customer }: CreateToken): SessionTerms {
  if (!lock) return {};
  const resolved = resolveSessionTerms(deps.catalogue(), lock);
  requirePayable(deps, { merchant, resolved, countryCode: customer?.countryCode });
  return resolved.terms;
}

/** The characters of an unknown scope that its refusal repeats. */
const UNKNOWN_SHOWN_MAX = 64;

function grantScope(wanted: readonly string[]): readonly Scope[] {
  if (wanted.length === 0) return SCOPES;
  const unknown = wanted.find((name) => !isScope(name));
  if (unknown !== undefined) {
    throw new Refusal("INVALID_SCOPE", {
      message: `"${unknown.slice(0, UNKNOWN_SHOWN_MAX)}" is not a scope. Use some of ${SCOPES.join(", ")}.`,
      details: [{ field: "scope", issue: "names a scope that does not exist" }],
    });
  }
  // The answer lists the scopes as they were asked for (completion, section 4), each once.
  return [...new Set(wanted.filter(isScope))];
}

const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name);
