/** The claims of a public token. Times are Unix seconds of the real clock. */
export interface TokenClaims {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly scope: readonly string[];
  readonly jti: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export type TokenVerdict =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: "expired" | "invalid" };

/** Signs and verifies public tokens of this environment only. */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  verify(token: string): Promise<TokenVerdict>;
}
