import type { Person } from "../../domain/people/person.ts";
import {
  authenticatorUri,
  makeAuthenticatorSecret,
  stepOfCode,
} from "../../secrets/authenticator.ts";
import { askForNewPasskey, checkNewPasskey } from "../../secrets/passkeys.ts";
import { hashRecoveryCode, hashToken, makeRecoveryCodes } from "../../secrets/passwords.ts";
import {
  findInvitation,
  lockInvitation,
  type OpenInvitation,
  removeInvitation,
  storeAuthenticatorSecret,
} from "../../storage/people/invitations.ts";
import { insertPasskey, takeChallenge } from "../../storage/people/passkeys.ts";
import { addRecoveryCodes, removeWaysToSignIn, setPassword } from "../../storage/people/people.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { Refusal } from "../refusal.ts";
import { hashNewPassword } from "./hash-in-turn.ts";
import { countAttempt, openSession, type PeopleDeps, type RequestOrigin } from "./open-session.ts";
import {
  authenticatorPlace,
  type PasskeyAnswer,
  type PasskeyQuestion,
  storeQuestion,
} from "./prove.ts";

/** The token of a link, and who opens it. */
export interface OpenedLink {
  readonly token: string;
  readonly origin: RequestOrigin;
}

/** Opens an invitation. Refuses INVITATION_INVALID and RATE_LIMITED. */
export async function openInvitation(
  deps: PeopleDeps,
  { token, origin }: OpenedLink,
): Promise<OpenInvitation> {
  await countAttempt(deps, { address: origin.address });
  const invitation = await findInvitation(deps.database, hashToken(token));
  if (invitation === undefined) throw new Refusal("INVITATION_INVALID");
  return invitation;
}

/** Asks for the first passkey of an invited person. */
export async function askPasskeyOfInvitation(
  deps: PeopleDeps,
  link: OpenedLink,
): Promise<PasskeyQuestion> {
  const { person } = await openInvitation(deps, link);
  const question = await askForNewPasskey(deps, person, []);
  return storeQuestion(deps, question, { purpose: "register", personId: person.id });
}

/** Accepts an invitation with a passkey and signs in. Returns the secret of the session's cookie. */
export async function acceptWithPasskey(
  deps: PeopleDeps,
  command: OpenedLink & PasskeyAnswer & { readonly passkeyName: string },
): Promise<string> {
  const { token, origin, challengeId, response, passkeyName } = command;
  const ceremony = await takeChallenge(deps.database, challengeId, "register");
  const passkey = ceremony && (await checkNewPasskey(deps, ceremony.challenge, response));
  if (!passkey) throw new Refusal("SIGN_IN_FAILED");
  return deps.database.transaction(async (tx) => {
    const person = await consumeInvitation(tx, hashToken(token));
    const added = { ...passkey, id: deps.ids.uuid(), personId: person.id, name: passkeyName };
    if (ceremony.personId !== person.id || !(await insertPasskey(tx, added))) {
      throw new Refusal("SIGN_IN_FAILED");
    }
    const action = "accept_invitation";
    return openSession(tx, deps, { person, signedInWith: "passkey", origin, action });
  });
}

/** Makes the secret of an authenticator app for an invited person. A later call replaces it. */
export async function makeSecretOfInvitation(
  deps: PeopleDeps,
  link: OpenedLink,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const { person } = await openInvitation(deps, link);
  const secret = makeAuthenticatorSecret((count) => deps.ids.bytes(count));
  const sealed = deps.secrets.seal(secret, authenticatorPlace(person.id));
  await storeAuthenticatorSecret(deps.database, hashToken(link.token), sealed);
  return { secret, uri: authenticatorUri(secret, person.email) };
}

/** Accepts an invitation with a password and a code of the authenticator, and signs in. */
export async function acceptWithPassword(
  deps: PeopleDeps,
  command: OpenedLink & { readonly password: string; readonly code: string },
): Promise<{ readonly token: string; readonly recoveryCodes: readonly string[] }> {
  const { token, origin, password, code } = command;
  const { person: invited } = await openInvitation(deps, command);
  const passwordHash = await hashNewPassword(deps, invited, password);
  const recoveryCodes = makeRecoveryCodes((count) => deps.ids.bytes(count));
  return deps.database.transaction(async (tx) => {
    const person = await consumeInvitation(tx, hashToken(token));
    const { totpSealed } = person;
    const secret = totpSealed && deps.secrets.open(totpSealed, authenticatorPlace(person.id));
    const totpUsedStep = secret === null ? undefined : stepOfCode(secret, code, new Date());
    if (totpSealed === null || totpUsedStep === undefined) {
      throw new Refusal("INVALID_INPUT", {
        message:
          "The code is wrong. Wait until the app shows the next code, and check that the phone's clock is right.",
        details: [{ field: "code", issue: "is not the code of the authenticator" }],
      });
    }
    await setPassword(tx, person.id, { passwordHash, totpSealed, totpUsedStep });
    await addRecoveryCodes(tx, person.id, recoveryCodes.map(hashRecoveryCode));
    const action = "accept_invitation";
    const session = await openSession(tx, deps, {
      person,
      signedInWith: "password",
      origin,
      action,
    });
    return { token: session, recoveryCodes };
  });
}

/** Removes the invitation and every earlier way to sign in. Returns its person. Refuses INVITATION_INVALID. */
export async function consumeInvitation(
  tx: Tx,
  tokenHash: Uint8Array,
): Promise<Person & Pick<OpenInvitation, "totpSealed">> {
  const invitation = await lockInvitation(tx, tokenHash);
  if (invitation === undefined) throw new Refusal("INVITATION_INVALID");
  const { person, totpSealed } = invitation;
  await removeInvitation(tx, person.id);
  await removeWaysToSignIn(tx, person.id);
  return { ...person, totpSealed };
}
