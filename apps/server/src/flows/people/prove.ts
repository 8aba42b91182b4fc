import type { Person } from "../../domain/people/person.ts";
import { stepOfCode } from "../../secrets/authenticator.ts";
import { askPasskey, checkPasskey } from "../../secrets/passkeys.ts";
import { checkPassword, hashRecoveryCode } from "../../secrets/passwords.ts";
import {
  type ChallengePurpose,
  findPasskey,
  insertChallenge,
  listPasskeys,
  markPasskeyUsed,
  takeChallenge,
} from "../../storage/people/passkeys.ts";
import {
  findPasswordLogin,
  markStepUsed,
  type PasswordLogin,
  spendRecoveryCode,
} from "../../storage/people/people.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { Refusal } from "../refusal.ts";
import { hashInTurn } from "./hash-in-turn.ts";
import type { PeopleDeps } from "./open-session.ts";

/** A question for the browser, and the name by which its answer returns. */
export interface PasskeyQuestion {
  readonly challengeId: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface PasskeyAnswer {
  readonly challengeId: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The place that an authenticator's secret is sealed for. */
export const authenticatorPlace = (personId: string): string => `people.totp_sealed:${personId}`;

/** Stores the challenge of a question. */
export async function storeQuestion(
  deps: PeopleDeps,
  question: { readonly challenge: string; readonly options: Readonly<Record<string, unknown>> },
  of: { readonly purpose: ChallengePurpose; readonly personId: string | null },
): Promise<PasskeyQuestion> {
  const id = deps.ids.uuid();
  await insertChallenge(deps.database, { id, challenge: question.challenge, ...of });
  return { challengeId: id, options: question.options };
}

/** Asks the person's passkeys, or with null any that the browser has. */
export async function askForProof(
  deps: PeopleDeps,
  personId: string | null,
): Promise<PasskeyQuestion> {
  const passkeys = personId === null ? [] : await listPasskeys(deps.database, personId);
  const question = await askPasskey(deps, passkeys);
  const purpose = personId === null ? "sign_in" : "step_up";
  return storeQuestion(deps, question, { purpose, personId });
}

/** A checked proof. The database transaction that uses it also spends it, so it counts once. */
export interface Proof {
  readonly person: Person;
  /** Uses the proof up. Returns false when it was used before. */
  spend(tx: Tx): Promise<boolean>;
}

/**
 * Verifies a passkey's answer to this person's challenge, or to the challenge of a sign-in where the person is null.
 * Refuses SIGN_IN_FAILED.
 */
export async function provePasskey(
  deps: PeopleDeps,
  { challengeId, response }: PasskeyAnswer,
  personId: string | null,
): Promise<Proof> {
  const purpose = personId === null ? "sign_in" : "step_up";
  const ceremony = await takeChallenge(deps.database, challengeId, purpose);
  const { id } = response;
  const found =
    ceremony && typeof id === "string" ? await findPasskey(deps.database, id) : undefined;
  if (!found || ceremony?.personId !== personId) throw new Refusal("SIGN_IN_FAILED");
  if (personId !== null && found.person.id !== personId) throw new Refusal("SIGN_IN_FAILED");
  const { passkey, person } = found;
  const counter = await checkPasskey(deps, ceremony.challenge, { answer: response, passkey });
  if (counter === undefined) throw new Refusal("SIGN_IN_FAILED");
  return { person, spend: (tx) => markPasskeyUsed(tx, passkey.id, counter) };
}

/**
 * Checks a password; `spend` then checks the code. Refuses SIGN_IN_FAILED, for an unknown account in the time of a
 * wrong password.
 */
export async function provePassword(
  deps: PeopleDeps,
  {
    email,
    password,
    code,
  }: {
    readonly email: string;
    readonly password: string;
    readonly code: string;
  },
): Promise<Proof> {
  const login = await findPasswordLogin(deps.database, email);
  const isRight = await hashInTurn(() => checkPassword(password, login?.passwordHash));
  if (!isRight || login === undefined) throw new Refusal("SIGN_IN_FAILED");
  const { passwordHash: _hash, totpSealed: _sealed, totpUsedStep: _step, ...person } = login;
  return { person, spend: (tx) => spendCode(tx, deps, { login, code }) };
}

/** Uses up a code of the authenticator or a recovery code. Returns false when it is wrong or was used. */
async function spendCode(
  tx: Tx,
  deps: PeopleDeps,
  { login, code }: { readonly login: PasswordLogin; readonly code: string },
): Promise<boolean> {
  const secret = deps.secrets.open(login.totpSealed, authenticatorPlace(login.id));
  const step = stepOfCode(secret, code, new Date());
  if (step !== undefined) return markStepUsed(tx, login, step);
  return spendRecoveryCode(tx, login, hashRecoveryCode(code));
}
