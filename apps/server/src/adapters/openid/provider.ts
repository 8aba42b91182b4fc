import type { Configuration } from "openid-client";
import {
  CALLBACK_PATH,
  type IdentityProvider,
  ProviderFault,
  type ProviderIdentity,
} from "../../domain/ports/identity-provider.ts";

export interface OpenIdOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on the button. */
  readonly name: string;
  /** The console's origin. The callback is below it. */
  readonly consoleUrl: string;
  /** The time for one request to the provider. */
  readonly timeoutSeconds?: number;
}

const TIMEOUT_SECONDS = 5;
/** The provider's description of itself is read again after this time. Its keys are read again sooner. */
const DISCOVERY_MS = 3_600_000;
const LABEL_LENGTH_MAX = 254;
const UNREADABLE = /[\p{Cc}\p{Bidi_Control}]/u;

/** Loaded with the first sign-in, because most processes have none. */
const library = () => import("openid-client");

/** Makes the provider of the settings. It calls nobody before somebody signs in. */
export function makeOpenIdProvider(options: OpenIdOptions): IdentityProvider {
  const { name, consoleUrl } = options;
  const callback = `${consoleUrl}${CALLBACK_PATH}`;
  const discover = makeDiscover(options);
  return {
    name,
    async address({ state, nonce, verifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const parameters = {
        redirect_uri: callback,
        scope: "openid email",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      const configuration = await discover();
      return faulty(async () => buildAuthorizationUrl(configuration, parameters).href);
    },
    async identify(answer, { state, nonce, verifier }) {
      const { authorizationCodeGrant } = await library();
      const configuration = await discover();
      const returned = new URL(callback);
      returned.search = answer;
      const tokens = await faulty(() =>
        authorizationCodeGrant(configuration, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        }),
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderFault("refused", "no_id_token");
      return identityOf(claims);
    },
  };
}

function identityOf(claims: {
  readonly iss: string;
  readonly sub: string;
  readonly [claim: string]: unknown;
}): ProviderIdentity {
  const { iss: issuer, sub: subject, email } = claims;
  const isShown = typeof email === "string" && email !== "" && !UNREADABLE.test(email);
  return { issuer, subject, label: isShown ? email.slice(0, LABEL_LENGTH_MAX) : null };
}

/** Makes the function that reads the provider's description: when it is first needed, and then once an hour. */
function makeDiscover(options: OpenIdOptions) {
  const { issuer, clientId, clientSecret, timeoutSeconds = TIMEOUT_SECONDS } = options;
  let found: { readonly atMs: number; readonly configuration: Promise<Configuration> } | undefined;
  const read = async (): Promise<Configuration> => {
    const openid = await library();
    const basic = openid.ClientSecretBasic(clientSecret);
    const post = openid.ClientSecretPost(clientSecret);
    // A provider that names no method takes HTTP Basic (OpenID Connect Discovery, section 3).
    const authenticate: typeof basic = (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") === false
        ? post
        : basic)(server, ...rest);
    // The library then checks the signature of each ID token, also of one that came over TLS from the provider.
    const execute = [openid.enableNonRepudiationChecks];
    if (issuer.startsWith("http:")) execute.push(openid.allowInsecureRequests);
    return faulty(() =>
      openid.discovery(new URL(issuer), clientId, undefined, authenticate, {
        timeout: timeoutSeconds,
        execute,
      }),
    );
  };
  return (): Promise<Configuration> => {
    if (found && Date.now() - found.atMs < DISCOVERY_MS) return found.configuration;
    const begun = { atMs: Date.now(), configuration: read() };
    found = begun;
    begun.configuration.catch(() => {
      if (found === begun) found = undefined;
    });
    return begun.configuration;
  };
}

/** Failures of the service's own registration at the provider, which no person can mend by trying again. */
const OF_SERVICE = ["invalid_client", "unauthorized_client", "unsupported_grant_type"];
/** Words by which the provider refuses a person or a code. Other words are not logged: a stranger may have chosen them. */
const OF_PERSON = ["access_denied", "consent_required", "interaction_required", "invalid_grant"];
/** Codes of the library for an answer that was read and is not valid. Every other failure is the provider's. */
const OF_ANSWER = [
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_PARSE_ERROR",
  "OAUTH_RESPONSE_BODY_ERROR",
  "OAUTH_UNSUPPORTED_OPERATION",
];

/** Runs a call of the library. Its error may hold tokens, so only a known word of it is passed on. */
async function faulty<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { code, error: answered } = Object(error) as Readonly<Record<string, unknown>>;
    const words = [String(answered), String(code)];
    const [reason = "unreachable"] = words.filter((word) =>
      [...OF_SERVICE, ...OF_PERSON, ...OF_ANSWER].includes(word),
    );
    const isAway = reason === "unreachable" || OF_SERVICE.includes(reason);
    throw new ProviderFault(isAway ? "away" : "refused", reason);
  }
}
