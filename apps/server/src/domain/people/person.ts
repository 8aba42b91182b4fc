/** The states of an account. An invited person cannot sign in yet. */
export type PersonState = "invited" | "active" | "disabled";

/** `provider`: the identity provider of the settings, by OpenID Connect. */
export type SignedInWith = "passkey" | "password" | "provider";

/** The languages of mails to people. The console has more. */
export type PersonLanguage = "en" | "de";

/** A person with an account of the console. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Null for a person of the operator. A merchant's person sees that merchant alone. */
  readonly merchantId: string | null;
  readonly roles: readonly string[];
  readonly state: PersonState;
  /** The language of mails to the person. */
  readonly language: PersonLanguage;
}

/** A session that has not ended. */
export interface PersonSession {
  readonly id: string;
  readonly signedInWith: SignedInWith;
  readonly steppedUpAt: Date;
  readonly endsAt: Date;
}

/** How long sessions, links and questions live. docs/operating/console.md has the reasons. */
export const SESSION_SECONDS = 12 * 3_600;
export const SESSION_IDLE_SECONDS = 30 * 60;
const STEP_UP_SECONDS = 5 * 60;
export const INVITATION_SECONDS = 3 * 86_400;
export const CHALLENGE_SECONDS = 5 * 60;
/** The time to sign in at the identity provider. */
export const PROVIDER_SIGN_IN_SECONDS = 10 * 60;

/** Returns the time until which a proof of presence counts. */
export const steppedUpUntil = ({ steppedUpAt }: Pick<PersonSession, "steppedUpAt">): Date =>
  new Date(steppedUpAt.getTime() + STEP_UP_SECONDS * 1_000);

const EMAIL = /^[a-z0-9][a-z0-9._+-]*@[a-z0-9.-]+$/;
const EMAIL_LENGTH_MAX = 64;

/** Returns the address as it is stored, or undefined when it is not one that an account may have. */
export function personEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) && email.length <= EMAIL_LENGTH_MAX ? email : undefined;
}
