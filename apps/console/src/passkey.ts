import type { PasskeyQuestion } from "@exchange/contract/admin";
import { CallError } from "./api.ts";

/** The answer of a passkey, as the calls take it. */
export interface PasskeyAnswer {
  readonly challengeId: string;
  readonly response: unknown;
}

export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** Lets the browser make a new passkey. */
export const makePasskey = (question: PasskeyQuestion): Promise<PasskeyAnswer> =>
  answered(question, (options) =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  );

/** Lets the person touch a passkey. */
export const touchPasskey = (question: PasskeyQuestion): Promise<PasskeyAnswer> =>
  answered(question, (options) =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  );

/** If a person closes the browser's dialog, the error says that, and not that the service failed. */
async function answered(
  { challengeId, options }: PasskeyQuestion,
  ask: (options: PasskeyQuestion["options"]) => Promise<Credential | null>,
): Promise<PasskeyAnswer> {
  const credential = await ask(options).catch(() => null);
  if (credential === null) throw new CallError("PASSKEY_CANCELLED", "");
  return { challengeId, response: (credential as PublicKeyCredential).toJSON() };
}
