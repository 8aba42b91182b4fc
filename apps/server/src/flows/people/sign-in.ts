import { personEmail, type SignedInWith } from "../../domain/people/person.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { endSession, markSteppedUp } from "../../storage/people/sessions.ts";
import { Refusal } from "../refusal.ts";
import {
  actorOf,
  countAttempt,
  openSession,
  type PeopleDeps,
  type RequestOrigin,
  type SignedIn,
} from "./open-session.ts";
import {
  askForProof,
  type PasskeyAnswer,
  type PasskeyQuestion,
  type Proof,
  provePasskey,
  provePassword,
} from "./prove.ts";

/** Begins a sign-in. It names no account, so it does not say whether one exists. */
export async function askToSignIn(
  deps: PeopleDeps,
  { address }: RequestOrigin,
): Promise<PasskeyQuestion> {
  await countAttempt(deps, { address });
  return askForProof(deps, null);
}

/** Signs in and returns the secret of the session's cookie. Refuses SIGN_IN_FAILED and RATE_LIMITED. */
export async function signInWithPasskey(
  deps: PeopleDeps,
  { origin, ...answer }: PasskeyAnswer & { readonly origin: RequestOrigin },
): Promise<string> {
  return signIn(deps, await provePasskey(deps, answer, null), { origin, with: "passkey" });
}

/** The same with a password and a code. */
export async function signInWithPassword(
  deps: PeopleDeps,
  command: {
    readonly email: string;
    readonly password: string;
    readonly code: string;
    readonly origin: RequestOrigin;
  },
): Promise<string> {
  const { password, code, origin } = command;
  const email = personEmail(command.email) ?? command.email.trim().toLowerCase();
  await countAttempt(deps, { address: origin.address, account: email });
  const proof = await provePassword(deps, { email, password, code });
  return signIn(deps, proof, { origin, with: "password" });
}

async function signIn(
  deps: PeopleDeps,
  proof: Proof,
  { origin, with: signedInWith }: { readonly origin: RequestOrigin; readonly with: SignedInWith },
): Promise<string> {
  const { person } = proof;
  return deps.database.transaction(async (tx) => {
    if (!(await proof.spend(tx))) throw new Refusal("SIGN_IN_FAILED");
    return openSession(tx, deps, { person, signedInWith, origin, action: "sign_in" });
  });
}

/** Ends the session of the person who calls. */
export async function signOut(
  deps: Pick<PeopleDeps, "database">,
  { person, session, address }: SignedIn,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await endSession(tx, { sessionId: session.id, personId: person.id });
    await logControl(tx, {
      operator: actorOf(person, address),
      action: "sign_out",
      subject: person.email,
      before: null,
      after: null,
    });
  });
}

/** Asks one of the person's own passkeys for a fresh proof. */
export const askToStepUp = (deps: PeopleDeps, { person }: SignedIn): Promise<PasskeyQuestion> =>
  askForProof(deps, person.id);

/** Records a fresh proof for this session. Refuses SIGN_IN_FAILED. */
export async function stepUpWithPasskey(
  deps: PeopleDeps,
  { person, session }: SignedIn,
  answer: PasskeyAnswer,
): Promise<void> {
  await stepUp(deps, await provePasskey(deps, answer, person.id), session.id);
}

/** The same with the password and a code. Refuses RATE_LIMITED too. */
export async function stepUpWithPassword(
  deps: PeopleDeps,
  { person, session, address }: SignedIn,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<void> {
  const { email } = person;
  await countAttempt(deps, { address, person: person.id });
  await stepUp(deps, await provePassword(deps, { email, password, code }), session.id);
}

async function stepUp(deps: PeopleDeps, proof: Proof, sessionId: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (!(await proof.spend(tx))) throw new Refusal("SIGN_IN_FAILED");
    await markSteppedUp(tx, sessionId);
  });
}
