import { askForNewPasskey, checkNewPasskey } from "../../secrets/passkeys.ts";
import { checkPassword } from "../../secrets/passwords.ts";
import { type ControlChange, logControl } from "../../storage/audit/control-log.ts";
import {
  insertPasskey,
  type ListedPasskey,
  listPasskeys,
  removePasskey,
  takeChallenge,
} from "../../storage/people/passkeys.ts";
import { changePassword, findPasswordLogin, lockPerson } from "../../storage/people/people.ts";
import {
  endOtherSessions,
  endSession,
  isSessionOpen,
  type ListedSession,
  listSessions,
} from "../../storage/people/sessions.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { Refusal } from "../refusal.ts";
import { hashInTurn, hashNewPassword } from "./hash-in-turn.ts";
import { actorOf, countAttempt, type PeopleDeps, type SignedIn } from "./open-session.ts";
import { type PasskeyAnswer, type PasskeyQuestion, storeQuestion } from "./prove.ts";

export const listOwnSessions = (
  { database }: Pick<PeopleDeps, "database">,
  { person }: SignedIn,
): Promise<readonly ListedSession[]> => listSessions(database, person.id);

/** Ends one of the caller's own sessions. Refuses NOT_FOUND. */
export async function endOwnSession(
  deps: Pick<PeopleDeps, "database">,
  signedIn: SignedIn,
  sessionId: string,
): Promise<void> {
  const { person } = signedIn;
  await deps.database.transaction(async (tx) => {
    if (!(await endSession(tx, { sessionId, personId: person.id }))) {
      throw new Refusal("NOT_FOUND", {
        message: "You have no such session. It has ended. Look in the list.",
      });
    }
    await logOwn(tx, signedIn, {
      action: "end_sessions",
      before: { sessions: 1 },
      after: { sessions: 0 },
    });
  });
}

export const listOwnPasskeys = (
  { database }: Pick<PeopleDeps, "database">,
  { person }: SignedIn,
): Promise<readonly ListedPasskey[]> => listPasskeys(database, person.id);

/** Asks for another passkey. A device that has one of this account does not answer. */
export async function askForAnotherPasskey(
  deps: PeopleDeps,
  { person }: SignedIn,
): Promise<PasskeyQuestion> {
  const question = await askForNewPasskey(
    deps,
    person,
    await listPasskeys(deps.database, person.id),
  );
  return storeQuestion(deps, question, { purpose: "register", personId: person.id });
}

/** Adds a passkey to the caller's account. Refuses SIGN_IN_FAILED, SIGN_IN_REQUIRED and PERSON_CONFLICT. */
export async function addPasskey(
  deps: PeopleDeps,
  signedIn: SignedIn,
  { challengeId, response, name }: PasskeyAnswer & { readonly name: string },
): Promise<ListedPasskey> {
  const { person, session } = signedIn;
  const ceremony = await takeChallenge(deps.database, challengeId, "register");
  const checked = ceremony && (await checkNewPasskey(deps, ceremony.challenge, response));
  if (!checked || ceremony.personId !== person.id) throw new Refusal("SIGN_IN_FAILED");
  const id = deps.ids.uuid();
  return deps.database.transaction(async (tx) => {
    // An invitation that is accepted removes passkeys under the same lock. A session that it ended must add none.
    await lockPerson(tx, person.id);
    if (!(await isSessionOpen(tx, session.id))) throw new Refusal("SIGN_IN_REQUIRED");
    if (!(await insertPasskey(tx, { ...checked, id, personId: person.id, name }))) {
      throw new Refusal("PERSON_CONFLICT", {
        message: "This passkey belongs to an account already.",
      });
    }
    await logOwn(tx, signedIn, { action: "add_passkey", before: null, after: { passkey: name } });
    const { isBackedUp } = checked;
    return { id, name, isBackedUp, createdAt: new Date(), lastUsedAt: null };
  });
}

/** Removes a passkey of the caller. Refuses NOT_FOUND, and PERSON_CONFLICT for the last way to sign in. */
export async function removeOwnPasskey(
  deps: Pick<PeopleDeps, "database">,
  signedIn: SignedIn,
  passkeyId: string,
): Promise<void> {
  const { person } = signedIn;
  await deps.database.transaction(async (tx) => {
    // The lock makes two removals wait for each other.
    await lockPerson(tx, person.id);
    const name = await removePasskey(tx, { passkeyId, personId: person.id });
    if (name === undefined) {
      throw new Refusal("NOT_FOUND", {
        message: "You have no such passkey. It was removed. Look in the list.",
      });
    }
    if (!person.hasPassword && (await listPasskeys(tx, person.id)).length === 0) {
      throw new Refusal("PERSON_CONFLICT", {
        message:
          "This is your last way to prove who you are. Add another passkey before you remove it.",
      });
    }
    const before = { passkey: name };
    await logOwn(tx, signedIn, { action: "remove_passkey", before, after: null });
  });
}

/**
 * Changes the caller's password. Every other session ends, because somebody else may have known the password. Refuses
 * SIGN_IN_FAILED for a wrong current password, INVALID_INPUT for a new one that is easy to guess, RATE_LIMITED, and
 * PERSON_CONFLICT for an account without a password.
 */
export async function changeOwnPassword(
  deps: PeopleDeps,
  signedIn: SignedIn,
  { currentPassword, password }: { readonly currentPassword: string; readonly password: string },
): Promise<void> {
  const { person, session, address } = signedIn;
  await countAttempt(deps, { address, person: person.id });
  const login = await findPasswordLogin(deps.database, person.email);
  if (login === undefined) {
    throw new Refusal("PERSON_CONFLICT", {
      message:
        "This account has no password. Ask an administrator for a new link, and choose a password with it.",
    });
  }
  const { passwordHash: before } = login;
  if (!(await hashInTurn(() => checkPassword(currentPassword, before)))) {
    throw new Refusal("SIGN_IN_FAILED");
  }
  const passwordHash = await hashNewPassword(deps, person, password);
  await deps.database.transaction(async (tx) => {
    // A session that ended meanwhile, and a password that was replaced, change nothing.
    await lockPerson(tx, person.id);
    if (!(await isSessionOpen(tx, session.id))) throw new Refusal("SIGN_IN_REQUIRED");
    const change = { personId: person.id, before, after: passwordHash };
    if (!(await changePassword(tx, change))) throw new Refusal("SIGN_IN_FAILED");
    const ended = await endOtherSessions(tx, { personId: person.id, sessionId: session.id });
    await logOwn(tx, signedIn, {
      action: "change_password",
      before: { otherSessions: ended },
      after: { otherSessions: 0 },
    });
  });
}

/** Logs a change that a person made to their own account. */
export const logOwn = (
  tx: Tx,
  { person, address }: { readonly person: Parameters<typeof actorOf>[0]; readonly address: string },
  change: Pick<ControlChange, "action" | "before" | "after">,
): Promise<void> =>
  logControl(tx, { ...change, operator: actorOf(person, address), subject: person.email });
