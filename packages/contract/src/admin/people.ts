import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope, okEnvelope } from "../envelopes.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import {
  PASSKEY_ANSWER,
  PASSKEY_NAME,
  PASSWORD_CHANGE,
  PasskeyQuestion,
  RoleText,
  SIGNED_IN_WITH,
} from "./sign-in.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });

/** A session of the person who calls. */
export const PersonSession = named(
  "PersonSession",
  Type.Object({
    sessionId: Uuid("the session's id"),
    isThis: Type.Boolean({ description: "the session that asks" }),
    signedInWith: literals(SIGNED_IN_WITH),
    address: Type.String({ description: "the network address that signed in" }),
    browser: Type.String({ description: "as the browser names itself" }),
    createdAt: Time("the time of the sign-in"),
    lastSeenAt: Time("the last request, to the minute"),
    endsAt: Time("the session ends then at the latest"),
  }),
);
export type PersonSession = Static<typeof PersonSession>;

export const Passkey = named(
  "Passkey",
  Type.Object({
    passkeyId: Uuid("the passkey's id"),
    name: Type.String(),
    isBackedUp: Type.Boolean({ description: "a password manager holds copies of it" }),
    createdAt: Time("when it was added"),
    lastUsedAt: nullable(Time("when it was last used")),
  }),
);
export type Passkey = Static<typeof Passkey>;

export const PERSON_STATES = ["invited", "active", "disabled"] as const;

/** The languages of mails to people. The console speaks more. */
export const PERSON_LANGUAGES = ["en", "de"] as const;
const Language = literals(PERSON_LANGUAGES, { description: "the language of mails to the person" });

/** A person with an account, or one who is invited. */
export const PersonData = named(
  "PersonData",
  Type.Object({
    personId: Uuid("the person's id"),
    email: Type.String(),
    name: Type.String(),
    merchantId: nullable(Type.String({ description: "the merchant's client id" })),
    merchantName: nullable(Type.String()),
    roles: Type.Array(RoleText),
    state: literals(PERSON_STATES),
    passkeys: Type.Integer(),
    hasPassword: Type.Boolean(),
    hasIdentity: Type.Boolean({ description: "an account of the identity provider is linked" }),
    sessions: Type.Integer({ description: "open sessions" }),
    lastSeenAt: nullable(Time("the last request of a session that is open")),
    invitedUntil: nullable(Time("an invitation that is not accepted ends then")),
    invitationMail: nullable(
      literals(["waiting", "sent", "refused"], {
        description: "the mail with the link; null when the link was handed over",
      }),
    ),
    language: Language,
    createdAt: Time("when the account was made"),
  }),
);
export type PersonData = Static<typeof PersonData>;

export const InvitedPerson = named(
  "InvitedPerson",
  Type.Object({
    person: PersonData,
    link: nullable(
      Type.String({
        description: "give it to the person. No other answer contains it; null when it is mailed",
      }),
    ),
    expiresAt: Time("the link stops working then"),
  }),
);
export type InvitedPerson = Static<typeof InvitedPerson>;

const PersonParams = Type.Object({ personId: Uuid("the person's id") });
const Roles = Type.Array(RoleText, { minItems: 1, maxItems: 8, uniqueItems: true });
const LinkBy = literals(["hand", "mail"], {
  description:
    "`hand`, the default: the answer has the link; `mail`: only a mail to the person has it",
});
const PersonName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "the person's name",
  examples: ["Ada Lovelace"],
});

const own = { caller: "person", tag: "Own account", errors: PERSON_ERRORS } as const;
const managed = {
  caller: "person",
  tag: "People",
  permission: "people.manage",
  stepUp: true,
  errors: PERSON_ERRORS,
} as const;

/** Sessions and passkeys of the person who calls, and the people with accounts. */
export const PEOPLE_ENDPOINTS = {
  listOwnSessions: {
    ...own,
    operationId: "listOwnSessions",
    method: "GET",
    path: "/admin/me/sessions",
    summary: "List your own sessions",
    description: "Open sessions, the newest first.",
    success: { status: 200, schema: okEnvelope(Type.Array(PersonSession)) },
  },
  endOwnSession: {
    ...own,
    operationId: "endOwnSession",
    method: "DELETE",
    path: "/admin/me/sessions/{sessionId}",
    summary: "End one of your sessions",
    description: "Its cookie stops working at once.",
    params: Type.Object({ sessionId: Uuid("the session's id") }),
    success: { status: 204, schema: Type.Null() },
  },
  listOwnPasskeys: {
    ...own,
    operationId: "listOwnPasskeys",
    method: "GET",
    path: "/admin/me/passkeys",
    summary: "List your passkeys",
    description: "The newest first.",
    success: { status: 200, schema: okEnvelope(Type.Array(Passkey)) },
  },
  askNewPasskey: {
    ...own,
    operationId: "askNewPasskey",
    method: "POST",
    path: "/admin/me/passkeys/options",
    stepUp: true,
    summary: "Begin to add a passkey",
    description: "Returns the question for the browser.",
    success: { status: 200, schema: okEnvelope(PasskeyQuestion) },
  },
  addPasskey: {
    ...own,
    operationId: "addPasskey",
    method: "POST",
    path: "/admin/me/passkeys",
    stepUp: true,
    summary: "Add a passkey",
    description: "Another device can sign in with it.",
    body: Type.Object({ ...PASSKEY_ANSWER, name: PASSKEY_NAME }, { additionalProperties: false }),
    success: { status: 201, schema: okEnvelope(Passkey) },
  },
  removePasskey: {
    ...own,
    operationId: "removePasskey",
    method: "DELETE",
    path: "/admin/me/passkeys/{passkeyId}",
    stepUp: true,
    summary: "Remove a passkey",
    description: "The last way to sign in cannot be removed.",
    params: Type.Object({ passkeyId: Uuid("the passkey's id") }),
    success: { status: 204, schema: Type.Null() },
  },
  changeOwnPassword: {
    ...own,
    operationId: "changeOwnPassword",
    method: "POST",
    path: "/admin/me/password",
    stepUp: true,
    summary: "Change your password",
    description:
      "Every other session of yours ends, and this one goes on. The authenticator and the recovery codes stay. A wrong current password and an account without a password are refused.",
    body: Type.Object(PASSWORD_CHANGE, { additionalProperties: false }),
    success: { status: 204, schema: Type.Null() },
  },
  listPeople: {
    caller: "person",
    tag: "People",
    permission: "people.read",
    errors: PERSON_ERRORS,
    operationId: "listPeople",
    method: "GET",
    path: "/admin/people",
    summary: "List the people with accounts",
    description:
      "People of the operator and of every merchant. A merchant's people see those of their merchant.",
    success: { status: 200, schema: listEnvelope(PersonData) },
  },
  invitePerson: {
    ...managed,
    operationId: "invitePerson",
    method: "POST",
    path: "/admin/people",
    summary: "Invite a person",
    description:
      "Returns the link, which works once and for three days, or mails it to the person. Without `merchantId` a person of the operator invites a colleague; a person of a merchant always invites one of the same merchant.",
    body: Type.Object(
      {
        email: Type.String({ minLength: 3, maxLength: 64 }),
        name: PersonName,
        roles: Roles,
        merchantId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        language: Type.Optional(Language),
        linkBy: Type.Optional(LinkBy),
      },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(InvitedPerson) },
  },
  changePerson: {
    ...managed,
    operationId: "changePerson",
    method: "PATCH",
    path: "/admin/people/{personId}",
    summary: "Change a person's name, roles, state or language",
    description:
      "A disabled person is signed out everywhere at once. Nobody changes their own roles or state, and the operator keeps one active administrator.",
    params: PersonParams,
    body: Type.Object(
      {
        name: Type.Optional(PersonName),
        roles: Type.Optional(Roles),
        state: Type.Optional(literals(["active", "disabled"])),
        language: Type.Optional(Language),
        reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    success: { status: 200, schema: okEnvelope(PersonData) },
  },
  inviteAgain: {
    ...managed,
    operationId: "inviteAgain",
    method: "POST",
    path: "/admin/people/{personId}/invitation",
    summary: "Make a new link for a person",
    description:
      "For a link that ended, and for a person who lost every way to sign in. An earlier link stops working. When the person accepts, the passkeys, the password and the sessions of before are removed.",
    params: PersonParams,
    body: Type.Object({ linkBy: Type.Optional(LinkBy) }, { additionalProperties: false }),
    success: { status: 201, schema: createdEnvelope(InvitedPerson) },
  },
  endSessionsOfPerson: {
    ...managed,
    operationId: "endSessionsOfPerson",
    method: "POST",
    path: "/admin/people/{personId}/end_sessions",
    summary: "Sign a person out everywhere",
    description: "Ends every session of the person at once.",
    params: PersonParams,
    success: { status: 200, schema: okEnvelope(PersonData) },
  },
} as const satisfies Record<string, AdminEndpoint>;
