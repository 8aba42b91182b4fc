/** An account at the provider. A provider never gives a subject to another account. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** A name of the account to show, such as its e-mail address. Nobody proved it, so it chooses no person. */
  readonly label: string | null;
}

/** The random values that tie an answer of the provider to one browser. Each is used for one sign-in. */
export interface SignInBinding {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. The provider receives its hash first and the secret with the code. */
  readonly verifier: string;
}

/**
 * `away`: the provider did not answer, or refused the service itself. `refused`: its answer is not valid for this
 * browser. The reason is a word of the protocol or of the library, and contains nothing that a stranger chose.
 */
export class ProviderFault extends Error {
  readonly kind: "away" | "refused";
  readonly reason: string;

  constructor(kind: "away" | "refused", reason: string) {
    super(`identity provider: ${reason}`);
    this.name = "ProviderFault";
    this.kind = kind;
    this.reason = reason;
  }
}

/** Signs people in elsewhere, by OpenID Connect. */
export interface IdentityProvider {
  /** The name on the button. */
  readonly name: string;
  /** Returns the provider's address at which the browser continues. Throws `ProviderFault`. */
  address(binding: SignInBinding): Promise<string>;
  /** Exchanges the query of the callback for the account that signed in. Throws `ProviderFault`. */
  identify(answer: string, binding: SignInBinding): Promise<ProviderIdentity>;
}

/** The place of the console to which the provider returns a browser. It is registered with the provider. */
export const CALLBACK_PATH = "/sign_in/callback";
