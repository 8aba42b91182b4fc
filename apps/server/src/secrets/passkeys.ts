import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** The console's address, to which every passkey is bound: one of another address does not answer. */
export interface RelyingParty {
  readonly consoleUrl: string;
}

const RELYING_PARTY_NAME = "Exchange console";

/** Loaded with the first question, because it is large and most processes ask none. */
const library = () => import("@simplewebauthn/server");

const partyOf = ({ consoleUrl }: RelyingParty) => {
  const { origin, hostname } = new URL(consoleUrl);
  return { expectedOrigin: origin, expectedRPID: hostname };
};

/** A question for a browser, and the challenge that its answer must sign. */
export interface PasskeyQuestion {
  readonly challenge: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface PasskeyName {
  readonly credentialId: string;
  readonly transports: readonly string[];
}

const descriptors = (passkeys: readonly PasskeyName[]) =>
  passkeys.map(({ credentialId, transports }) => ({
    id: credentialId,
    transports: [...transports],
  }));

/** Asks for a new passkey. It is discoverable and verifies its user, so it is two factors in one. */
export async function askForNewPasskey(
  party: RelyingParty,
  person: { readonly id: string; readonly email: string; readonly name: string },
  existing: readonly PasskeyName[],
): Promise<PasskeyQuestion> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: RELYING_PARTY_NAME,
    rpID: partyOf(party).expectedRPID,
    userID: Uint8Array.from(Buffer.from(person.id.replaceAll("-", ""), "hex")),
    userName: person.email,
    userDisplayName: person.name,
    attestationType: "none",
    excludeCredentials: descriptors(existing),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { challenge: options.challenge, options: { ...options } };
}

/** Asks one of these passkeys to answer, or any that the browser has for this address. */
export async function askPasskey(
  party: RelyingParty,
  passkeys: readonly PasskeyName[],
): Promise<PasskeyQuestion> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(party).expectedRPID,
    userVerification: "required",
    allowCredentials: descriptors(passkeys),
  });
  return { challenge: options.challenge, options: { ...options } };
}

export interface NewPasskey extends PasskeyName {
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/** Checks the answer of a new passkey. Returns undefined when it is not valid for the question. */
export async function checkNewPasskey(
  party: RelyingParty,
  challenge: string,
  answer: Readonly<Record<string, unknown>>,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await library();
  const checked = await verifyRegistrationResponse({
    response: answer as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    ...partyOf(party),
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!checked?.verified) return undefined;
  const { credential, credentialBackedUp } = checked.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: transportsOf(credential.transports),
    isBackedUp: credentialBackedUp,
  };
}

/** The transports of WebAuthn level 3. The browser reports them unsigned, so nothing else is stored. */
const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

const transportsOf = (reported: unknown): readonly string[] =>
  Array.isArray(reported) ? TRANSPORTS.filter((name) => reported.includes(name)) : [];

/** Checks the signature of a passkey. Returns its count of uses, or undefined when it is not valid. */
export async function checkPasskey(
  party: RelyingParty,
  challenge: string,
  {
    answer,
    passkey,
  }: {
    readonly answer: Readonly<Record<string, unknown>>;
    readonly passkey: Pick<NewPasskey, "credentialId" | "publicKey" | "counter">;
  },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { credentialId: id, publicKey, counter } = passkey;
  const checked = await verifyAuthenticationResponse({
    response: answer as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    ...partyOf(party),
    credential: { id, publicKey: Uint8Array.from(publicKey), counter },
    requireUserVerification: true,
  }).catch(() => undefined);
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined;
}
