import {
  type IdentityProvider,
  ProviderFault,
  type ProviderIdentity,
  type SignInBinding,
} from "../../domain/ports/identity-provider.ts";
import { deriveFromToken, hashToken, makeLinkToken } from "../../secrets/passwords.ts";
import {
  findIdentity,
  insertProviderSignIn,
  type LinkedIdentity,
  linkIdentity,
  markIdentityUsed,
  type ProviderSignIn,
  takeProviderSignIn,
  unlinkIdentity,
} from "../../storage/people/identities.ts";
import { listPasskeys } from "../../storage/people/passkeys.ts";
import { lockPerson } from "../../storage/people/people.ts";
import { isSessionOpen } from "../../storage/people/sessions.ts";
import { Refusal } from "../refusal.ts";
import { consumeInvitation, type OpenedLink, openInvitation } from "./accept.ts";
import { logOwn } from "./account.ts";
import {
  countAttempt,
  openSession,
  type PeopleDeps,
  type RequestOrigin,
  requireSession,
  type SignedIn,
} from "./open-session.ts";

/**
 * Single sign-on by OpenID Connect (docs/decisions/0102-sign-people-in-with-their-identity-provider.md). A sign-in
 * begins with a secret in the browser's cookie. State, nonce and the secret of PKCE are derived from it, so an answer
 * of the provider counts in that browser alone. The database has the secret's hash and the reason.
 */
export interface SentBrowser {
  /** The provider's address at which the browser continues. */
  readonly url: string;
  /** The value of the browser's cookie. */
  readonly secret: string;
}

/** Begins to sign in. It names no account. Refuses NOT_FOUND, RATE_LIMITED and PROVIDER_UNAVAILABLE. */
export async function beginProviderSignIn(
  deps: PeopleDeps,
  { address }: RequestOrigin,
): Promise<SentBrowser> {
  await countAttempt(deps, { address });
  return send(deps, { purpose: "sign_in" });
}

/** Begins to accept an invitation. Refuses INVITATION_INVALID too. */
export async function beginProviderAcceptance(
  deps: PeopleDeps,
  link: OpenedLink,
): Promise<SentBrowser> {
  await openInvitation(deps, link);
  return send(deps, { purpose: "accept", invitationHash: hashToken(link.token) });
}

/** Begins to link the caller's account of the provider. */
export async function beginProviderLink(
  deps: PeopleDeps,
  { person, session, address }: SignedIn,
): Promise<SentBrowser> {
  await countAttempt(deps, { address, person: person.id });
  return send(deps, { purpose: "link", sessionId: session.id });
}

async function send(deps: PeopleDeps, begun: ProviderSignIn): Promise<SentBrowser> {
  const provider = requireProvider(deps);
  const secret = makeLinkToken((count) => deps.ids.bytes(count));
  const url = await askProvider(deps, () => provider.address(bindingOf(secret)));
  await insertProviderSignIn(deps.database, hashToken(secret), begun);
  return { url, secret };
}

const bindingOf = (secret: string): SignInBinding => ({
  state: deriveFromToken(secret, "state"),
  nonce: deriveFromToken(secret, "nonce"),
  verifier: deriveFromToken(secret, "verifier"),
});

function requireProvider({ identityProvider }: PeopleDeps): IdentityProvider {
  if (identityProvider) return identityProvider;
  throw new Refusal("NOT_FOUND", {
    message: "Single sign-on is off. Use a passkey, or set EXCHANGE_SSO_ISSUER.",
  });
}

/** Asks the provider. Refuses SIGN_IN_FAILED and PROVIDER_UNAVAILABLE. */
async function askProvider<T>(deps: PeopleDeps, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { kind, reason } = error;
    if (kind === "refused") throw new Refusal("SIGN_IN_FAILED", { logged: { reason } });
    deps.log.warn({ reason }, "the identity provider cannot be used");
    throw new Refusal("PROVIDER_UNAVAILABLE", {
      message: "The identity provider does not answer. Use a passkey, or try again shortly.",
    });
  }
}

/** A browser that the provider sent back. */
export interface ReturnedBrowser {
  /** The value of the browser's cookie. */
  readonly secret: string | undefined;
  /** The query of the callback's address. */
  readonly answer: string;
  readonly origin: RequestOrigin;
}

/** The end of a sign-in: the secret of a session's cookie, which is the earlier one after linking. */
export interface ProviderResult {
  readonly did: "signed_in" | "accepted" | "linked";
  readonly token: string;
}

/**
 * Ends what the browser began. The row is taken before the provider is asked, so an answer counts once. Refuses
 * SIGN_IN_FAILED, PROVIDER_UNAVAILABLE, IDENTITY_NOT_LINKED, INVITATION_INVALID, SIGN_IN_REQUIRED and PERSON_CONFLICT.
 */
export async function finishProviderSignIn(
  deps: PeopleDeps,
  { secret, answer, origin }: ReturnedBrowser,
): Promise<ProviderResult> {
  const provider = requireProvider(deps);
  const begun = secret && (await takeProviderSignIn(deps.database, hashToken(secret)));
  if (!begun) throw new Refusal("SIGN_IN_FAILED", { logged: { reason: "not_begun_here" } });
  const identity = await askProvider(deps, () => provider.identify(answer, bindingOf(secret)));
  switch (begun.purpose) {
    case "sign_in":
      return { did: "signed_in", token: await signIn(deps, identity, origin) };
    case "accept":
      return { did: "accepted", token: await accept(deps, identity, { ...begun, origin }) };
    case "link":
      return { did: "linked", token: await link(deps, identity, { ...begun, origin }) };
  }
}

const signIn = (
  deps: PeopleDeps,
  identity: ProviderIdentity,
  origin: RequestOrigin,
): Promise<string> =>
  deps.database.transaction(async (tx) => {
    const person = await markIdentityUsed(tx, identity);
    if (person === undefined) throw new Refusal("IDENTITY_NOT_LINKED");
    const action = "sign_in";
    return openSession(tx, deps, { person, signedInWith: "provider", origin, action });
  });

const accept = (
  deps: PeopleDeps,
  identity: ProviderIdentity,
  {
    invitationHash,
    origin,
  }: { readonly invitationHash: Uint8Array; readonly origin: RequestOrigin },
): Promise<string> =>
  deps.database.transaction(async (tx) => {
    const person = await consumeInvitation(tx, invitationHash);
    if (!(await linkIdentity(tx, person.id, identity))) throw isLinkedElsewhere();
    const signedIn = { person, address: origin.address };
    await logOwn(tx, signedIn, { action: "link_identity", before: null, after: shown(identity) });
    const action = "accept_invitation";
    return openSession(tx, deps, { person, signedInWith: "provider", origin, action });
  });

/** The session that began the link must be the one that ends it, and still open. */
async function link(
  deps: PeopleDeps,
  identity: ProviderIdentity,
  { sessionId, origin }: { readonly sessionId: string; readonly origin: RequestOrigin },
): Promise<string> {
  const { address, earlierToken: token = "" } = origin;
  const signedIn = await requireSession(deps, { token, address });
  const { person, session } = signedIn;
  if (session.id !== sessionId) throw new Refusal("SIGN_IN_FAILED");
  await deps.database.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    if (!(await isSessionOpen(tx, session.id))) throw new Refusal("SIGN_IN_REQUIRED");
    const earlier = await findIdentity(tx, person.id);
    if (!(await linkIdentity(tx, person.id, identity))) throw isLinkedElsewhere();
    const before = earlier === undefined ? null : shown(earlier);
    await logOwn(tx, signedIn, { action: "link_identity", before, after: shown(identity) });
  });
  return token;
}

const isLinkedElsewhere = (): Refusal =>
  new Refusal("PERSON_CONFLICT", {
    message: "This account of the identity provider is linked to another person.",
  });

const shown = ({ issuer, subject, label }: ProviderIdentity) => ({ issuer, subject, label });

/** Returns the name on the button; null where single sign-on is off. */
export const providerName = ({ identityProvider }: PeopleDeps): string | null =>
  identityProvider?.name ?? null;

export const readOwnIdentity = (
  { database }: Pick<PeopleDeps, "database">,
  { person }: SignedIn,
): Promise<LinkedIdentity | undefined> => findIdentity(database, person.id);

/** Unlinks the caller's account of the provider. Refuses NOT_FOUND, and PERSON_CONFLICT for the last way to sign in. */
export async function unlinkOwnIdentity(
  deps: Pick<PeopleDeps, "database">,
  signedIn: SignedIn,
): Promise<void> {
  const { person } = signedIn;
  await deps.database.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    const removed = await unlinkIdentity(tx, person.id);
    if (removed === undefined) {
      throw new Refusal("NOT_FOUND", { message: "No account is linked to yours." });
    }
    if (!person.hasPassword && (await listPasskeys(tx, person.id)).length === 0) {
      throw new Refusal("PERSON_CONFLICT", {
        message: "This is your last way to sign in. Add a passkey before you unlink it.",
      });
    }
    await logOwn(tx, signedIn, { action: "unlink_identity", before: shown(removed), after: null });
  });
}
