import { webcrypto } from "node:crypto";
import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { TokenClaims, TokenSigner } from "../domain/ports/token-signer.ts";
import { deriveKey, type KeyRing } from "./key-ring.ts";

const ALGORITHM = "HS256";
const ISSUER = "exchange";
const REQUIRED_CLAIMS = ["iss", "aud", "exp", "iat", "sub", "sid", "scope", "jti"];

export interface TokenSignerOptions {
  readonly ring: KeyRing;
  readonly environment: string;
  /** The real clock, not the business clock. */
  readonly now: () => Date;
}

/**
 * Signs and verifies public tokens with HS256 (RFC 7519). Each environment has keys of its own. A token names its
 * key, so keys are rotated without downtime: the first line of the secret keys file signs, and all lines verify.
 */
export function createTokenSigner({ ring, environment, now }: TokenSignerOptions): TokenSigner {
  const purpose = `tokens|${environment}`;
  const audience = `exchange:${environment}`;
  const keys = new Map([...ring.keys].map(([id, key]) => [id, importKey(deriveKey(key, purpose))]));
  const signingKey = importKey(deriveKey(ring.current, purpose));
  const header = { alg: ALGORITHM, typ: "JWT", kid: ring.current.id };
  const keyOf = ({ kid }: { readonly kid?: unknown }) => {
    const key = typeof kid === "string" ? keys.get(kid) : undefined;
    if (key === undefined) throw new errors.JWSInvalid("The token names no key of this service.");
    return key;
  };
  return {
    sign: async (claims) =>
      new SignJWT(payloadOf(claims, audience)).setProtectedHeader(header).sign(await signingKey),
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience,
          requiredClaims: REQUIRED_CLAIMS,
          currentDate: now(),
        });
        return { ok: true, claims: claimsOf(payload) };
      } catch (error) {
        // The library checks the expiry last, so an expired token is genuine.
        const isExpired = error instanceof errors.JWTExpired;
        return { ok: false, reason: isExpired ? "expired" : "invalid" };
      }
    },
  };
}

/** The library would turn a key of another form into this one for each token. */
const importKey = (bytes: Uint8Array): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

const payloadOf = (claims: TokenClaims, audience: string): JWTPayload => ({
  sub: claims.merchantId,
  sid: claims.sessionId,
  scope: claims.scope,
  jti: claims.jti,
  iat: claims.issuedAt,
  exp: claims.expiresAt,
  aud: audience,
  iss: ISSUER,
});

/** The signature proves that this service wrote the payload, so its types are `payloadOf`'s. */
const claimsOf = (payload: JWTPayload): TokenClaims => ({
  merchantId: payload.sub as string,
  sessionId: payload["sid"] as string,
  scope: payload["scope"] as readonly string[],
  jti: payload.jti as string,
  issuedAt: payload.iat as number,
  expiresAt: payload.exp as number,
});
