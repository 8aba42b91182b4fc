import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS, SIGN_IN_ERRORS } from "./endpoint.ts";
import { PERMISSIONS, type Permission, ROLE_NAMES } from "./roles.ts";

export const PASSWORD_LIMITS = { charactersMin: 12, charactersMax: 128 } as const;

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const Password = Type.String({
  minLength: PASSWORD_LIMITS.charactersMin,
  maxLength: PASSWORD_LIMITS.charactersMax,
  description: "12 to 128 characters of any kind",
});
const AnyPassword = Type.String({ minLength: 1, maxLength: PASSWORD_LIMITS.charactersMax });
const Code = Type.String({
  minLength: 6,
  maxLength: 32,
  description: "six digits of the authenticator app, or a recovery code",
  examples: ["492039"],
});
/** The ways to sign in. `provider` is the identity provider of the settings. */
export const SIGNED_IN_WITH = ["passkey", "password", "provider"] as const;

export const LinkToken = Type.String({
  minLength: 20,
  maxLength: 100,
  description: "the part of the invitation's link after `#/invitation/`",
});

export const RoleText = literals(ROLE_NAMES);

/** The account of the person who calls, and what it may do. */
export const Me = named(
  "Me",
  Type.Object({
    personId: Uuid("the person's id"),
    email: Type.String(),
    name: Type.String(),
    merchantId: nullable(Type.String({ description: "the merchant's client id" })),
    merchantName: nullable(Type.String()),
    roles: Type.Array(RoleText),
    permissions: Type.Array(literals(Object.keys(PERMISSIONS) as Permission[])),
    environment: literals(["dev", "staging", "prod"]),
    sessionId: Uuid("the id of this session"),
    signedInWith: literals(SIGNED_IN_WITH),
    steppedUpUntil: Time("until then calls that move money need no new proof"),
    sessionEndsAt: Time("the session ends then at the latest"),
    hasPasskey: Type.Boolean(),
    hasPassword: Type.Boolean(),
    offersMail: Type.Boolean({ description: "the service can mail invitations" }),
  }),
);
export type Me = Static<typeof Me>;

/** A question to a passkey, as browsers take it (WebAuthn, section 5.4 and 5.5, as JSON). */
export const PasskeyQuestion = named(
  "PasskeyQuestion",
  Type.Object({
    challengeId: Uuid("name it in the next call"),
    options: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      description: "for `PublicKeyCredential.parseRequestOptionsFromJSON` or its twin for creation",
    }),
  }),
);
export type PasskeyQuestion = Static<typeof PasskeyQuestion>;

/** A passkey's answer. The check of its signature looks at every member, so the schema looks at few. */
const PasskeyAnswer = {
  challengeId: Uuid("of the question"),
  response: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    description: "`PublicKeyCredential.toJSON()`",
  }),
};
const PasskeyName = Type.String({
  minLength: 1,
  maxLength: 60,
  description: "a name for the list",
  examples: ["Ada's laptop"],
});

/** An invitation, as its link opens it. */
export const Invitation = named(
  "Invitation",
  Type.Object({
    email: Type.String(),
    name: Type.String(),
    roles: Type.Array(RoleText),
    merchantName: nullable(Type.String()),
    expiresAt: Time("the link stops working then"),
  }),
);
export type Invitation = Static<typeof Invitation>;

const anybody = {
  method: "POST",
  caller: "anybody",
  tag: "Sign in",
  errors: SIGN_IN_ERRORS,
} as const;
const own = { caller: "person", tag: "Own account", errors: PERSON_ERRORS } as const;

/** Signing in, accepting an invitation, and the account of the person who calls. */
export const SIGN_IN_ENDPOINTS = {
  askPasskeyToSignIn: {
    ...anybody,
    operationId: "askPasskeyToSignIn",
    path: "/admin/sign_in/passkey_options",
    summary: "Begin to sign in with a passkey",
    description: "Names no account: the browser offers the passkeys that it has.",
    success: { status: 200, schema: okEnvelope(PasskeyQuestion) },
  },
  signInWithPasskey: {
    ...anybody,
    operationId: "signInWithPasskey",
    path: "/admin/sign_in/passkey",
    summary: "Sign in with a passkey",
    description: "Sets the cookie of a new session.",
    body: Type.Object(PasskeyAnswer, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(Me) },
  },
  signInWithPassword: {
    ...anybody,
    operationId: "signInWithPassword",
    path: "/admin/sign_in/password",
    summary: "Sign in with a password and a code",
    description:
      "Sets the cookie of a new session. A wrong address, a wrong password and a wrong code have the same answer.",
    body: Type.Object(
      { email: Type.String({ minLength: 3, maxLength: 64 }), password: AnyPassword, code: Code },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(Me) },
  },
  readInvitation: {
    ...anybody,
    operationId: "readInvitation",
    path: "/admin/invitations/read",
    summary: "Open an invitation",
    description: "A POST, so that the token of the link is in no address and in no log.",
    body: Type.Object({ token: LinkToken }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(Invitation) },
  },
  askPasskeyOfInvitation: {
    ...anybody,
    operationId: "askPasskeyOfInvitation",
    path: "/admin/invitations/passkey_options",
    summary: "Begin to accept an invitation with a passkey",
    description: "Returns the question for the browser.",
    body: Type.Object({ token: LinkToken }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(PasskeyQuestion) },
  },
  acceptWithPasskey: {
    ...anybody,
    operationId: "acceptWithPasskey",
    path: "/admin/invitations/accept_with_passkey",
    summary: "Accept an invitation with a passkey",
    description:
      "Uses the link up, stores the passkey and signs in. Passkeys, password and sessions that the account had are removed.",
    body: Type.Object(
      { token: LinkToken, ...PasskeyAnswer, passkeyName: PasskeyName },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: okEnvelope(Me) },
  },
  makeAuthenticatorSecret: {
    ...anybody,
    operationId: "makeAuthenticatorSecret",
    path: "/admin/invitations/authenticator",
    summary: "Begin to accept an invitation with a password",
    description: "Returns the secret for an authenticator app. Another call replaces it.",
    body: Type.Object({ token: LinkToken }, { additionalProperties: false }),
    success: {
      status: 200,
      schema: okEnvelope(
        Type.Object({
          secret: Type.String({ description: "to type into the app, in base 32" }),
          uri: Type.String({ description: "otpauth address for a QR code" }),
        }),
      ),
    },
  },
  acceptWithPassword: {
    ...anybody,
    operationId: "acceptWithPassword",
    path: "/admin/invitations/accept_with_password",
    summary: "Accept an invitation with a password",
    description:
      "Uses the link up, stores the password and the authenticator's secret, and signs in. The recovery codes are in no other answer.",
    body: Type.Object(
      { token: LinkToken, password: Password, code: Code },
      { additionalProperties: false },
    ),
    success: {
      status: 201,
      schema: okEnvelope(Type.Object({ me: Me, recoveryCodes: Type.Array(Type.String()) })),
    },
  },
  readMe: {
    ...own,
    operationId: "readMe",
    method: "GET",
    path: "/admin/me",
    summary: "Read your own account",
    description: "Your roles and rights, and the state of this session.",
    success: { status: 200, schema: okEnvelope(Me) },
  },
  signOut: {
    ...own,
    operationId: "signOut",
    method: "POST",
    path: "/admin/me/sign_out",
    summary: "Sign out",
    description: "Ends this session and clears its cookie.",
    success: { status: 204, schema: Type.Null() },
  },
  askPasskeyToStepUp: {
    ...own,
    operationId: "askPasskeyToStepUp",
    method: "POST",
    path: "/admin/me/step_up/passkey_options",
    summary: "Begin to prove with a passkey that you are still there",
    description: "Returns the question for the browser, which only your own passkeys answer.",
    success: { status: 200, schema: okEnvelope(PasskeyQuestion) },
  },
  stepUpWithPasskey: {
    ...own,
    operationId: "stepUpWithPasskey",
    method: "POST",
    path: "/admin/me/step_up/passkey",
    summary: "Prove with a passkey that you are still there",
    description: "For five minutes calls that move money or open secrets are accepted.",
    body: Type.Object(PasskeyAnswer, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(Me) },
  },
  stepUpWithPassword: {
    ...own,
    operationId: "stepUpWithPassword",
    method: "POST",
    path: "/admin/me/step_up/password",
    summary: "Prove with your password and a code that you are still there",
    description: "For five minutes calls that move money or open secrets are accepted.",
    body: Type.Object({ password: AnyPassword, code: Code }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(Me) },
  },
} as const satisfies Record<string, AdminEndpoint>;

export const PASSWORD_CHANGE = { currentPassword: AnyPassword, password: Password };
export const PASSKEY_ANSWER = PasskeyAnswer;
export const PASSKEY_NAME = PasskeyName;
