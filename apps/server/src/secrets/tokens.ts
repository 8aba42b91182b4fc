import { createVerifier } from "fast-jwt";
import type { TokenClaims, TokenSigner, TokenVerdict } from "../domain/ports/token-signer.ts";
import { makeHmac } from "./hmac.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

const ISSUER = "exchange";
const KEY_ID = /^[A-Za-z0-9_-]{1,512}\./;
const INVALID: TokenVerdict = { ok: false, reason: "invalid" };

/** What stands inside a token. */
interface Payload {
  readonly sub: string;
  readonly sid: string;
  readonly scope: readonly string[];
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly aud: string;
  readonly iss: string;
}

export interface TokenSignerOptions {
  readonly ring: KeyRing;
  readonly environment: string;
  /** The real clock, not the business clock. */
  readonly now: () => Date;
}

/**
 * Signs public tokens with HS256. Each environment has keys of its own and a token names its key, so
 * keys roll without downtime: a new first line in the secret keys file signs, the older ones verify.
 */
export function createTokenSigner(options: TokenSignerOptions): TokenSigner {
  const { ring, environment, now } = options;
  const audience = `exchange:${environment}`;
  const verifiers = new Map(
    [...ring.keys].map(([id, key]) => [
      id,
      createVerifier({
        key: deriveKey(key, `tokens|${environment}`),
        algorithms: ["HS256"],
        allowedIss: ISSUER,
        allowedAud: audience,
        requiredClaims: ["iss", "aud", "exp", "iat", "sub", "sid", "scope", "jti"],
        // Expiry is judged by our own clock, after everything else.
        ignoreExpiration: true,
      }),
    ]),
  );
  const sign = makeSigner(ring.current.id, deriveKey(ring.current, `tokens|${environment}`));
  return {
    sign: (claims) => sign(printPayload(claims, audience)),
    verify: (token) => {
      try {
        const claims = toClaims(verifiers.get(readKeyId(token) ?? "")?.(token));
        if (claims === undefined) return INVALID;
        const isExpired = now().getTime() >= claims.expiresAt * 1000;
        return isExpired ? { ok: false, reason: "expired" } : { ok: true, claims };
      } catch {
        return INVALID;
      }
    },
  };
}

/**
 * What the library would sign, to the byte; a test compares. Each token of a key has the same header and
 * the payload is ours, so that nothing of either needs to be looked at again.
 */
function makeSigner(kid: string, secret: Uint8Array): (payload: string) => string {
  const hmac = makeHmac(secret);
  const header = encode(JSON.stringify({ alg: "HS256", typ: "JWT", kid }));
  return (payload) => {
    const input = `${header}.${encode(payload)}`;
    return `${input}.${hmac(input, "base64url")}`;
  };
}

const encode = (text: string): string => Buffer.from(text).toString("base64url");

/** Reads the key id only. Nothing else of an unverified header is looked at. */
function readKeyId(token: string): string | undefined {
  const encoded = KEY_ID.exec(token)?.[0].slice(0, -1);
  if (encoded === undefined) return undefined;
  const header: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
  const kid = (header as { kid?: unknown } | null)?.kid;
  return typeof kid === "string" ? kid : undefined;
}

/** Most tokens are granted one and the same list. */
const printedScopes = new WeakMap<readonly string[], string>();

function printScope(scope: readonly string[]): string {
  const printed = printedScopes.get(scope) ?? JSON.stringify(scope);
  printedScopes.set(scope, printed);
  return printed;
}

/** The payload as JSON. Printing its members in turn takes half as long as an object of them. */
const printPayload = (claims: TokenClaims, audience: string): string =>
  `{"sub":${JSON.stringify(claims.merchantId)},"sid":${JSON.stringify(claims.sessionId)},` +
  `"scope":${printScope(claims.scope)},"jti":${JSON.stringify(claims.jti)},` +
  `"iat":${claims.issuedAt},"exp":${claims.expiresAt},` +
  `"aud":${JSON.stringify(audience)},"iss":"${ISSUER}"}`;

const toClaims = (payload: Payload | undefined): TokenClaims | undefined =>
  payload && {
    merchantId: payload.sub,
    sessionId: payload.sid,
    scope: payload.scope,
    jti: payload.jti,
    issuedAt: payload.iat,
    expiresAt: payload.exp,
  };
