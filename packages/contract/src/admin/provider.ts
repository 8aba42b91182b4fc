import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS, SIGN_IN_ERRORS } from "./endpoint.ts";
import { LinkToken, Me } from "./sign-in.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });

const ProviderName = nullable(
  Type.String({ description: "the name on the button; null where single sign-on is off" }),
);

/** The identity provider of the settings. */
export const SignInProvider = named("SignInProvider", Type.Object({ name: ProviderName }));
export type SignInProvider = Static<typeof SignInProvider>;

export const ProviderAddress = named(
  "ProviderAddress",
  Type.Object({ url: Type.String({ description: "the browser continues there" }) }),
);
export type ProviderAddress = Static<typeof ProviderAddress>;

/** The end of a sign-in at the provider. */
export const ProviderSignedIn = named(
  "ProviderSignedIn",
  Type.Object({
    did: literals(["signed_in", "accepted", "linked"], { description: "what the browser began" }),
    me: Me,
  }),
);
export type ProviderSignedIn = Static<typeof ProviderSignedIn>;

/** The caller's account of the provider. */
export const OwnIdentity = named(
  "OwnIdentity",
  Type.Object({
    providerName: ProviderName,
    linked: nullable(
      Type.Object({
        issuer: Type.String(),
        label: nullable(Type.String({ description: "as the provider names the account" })),
        linkedAt: Time("when it was linked"),
        lastUsedAt: nullable(Time("when it last signed in")),
      }),
    ),
  }),
);
export type OwnIdentity = Static<typeof OwnIdentity>;

const anybody = {
  caller: "anybody",
  tag: "Sign in",
  errors: [...SIGN_IN_ERRORS, 404, 409],
} as const;
const own = { caller: "person", tag: "Own account", errors: PERSON_ERRORS } as const;
const begun = { success: { status: 200, schema: okEnvelope(ProviderAddress) } } as const;

/** Signing in at the identity provider, by OpenID Connect. */
export const PROVIDER_ENDPOINTS = {
  readSignInProvider: {
    ...anybody,
    operationId: "readSignInProvider",
    method: "GET",
    path: "/admin/sign_in/provider",
    summary: "Read the name of the identity provider",
    description: "Null where single sign-on is off.",
    success: { status: 200, schema: okEnvelope(SignInProvider) },
  },
  beginProviderSignIn: {
    ...anybody,
    ...begun,
    operationId: "beginProviderSignIn",
    method: "POST",
    path: "/admin/sign_in/provider_address",
    summary: "Begin to sign in at the identity provider",
    description: "Sets a cookie of ten minutes, without which the answer does not count.",
  },
  beginProviderAcceptance: {
    ...anybody,
    ...begun,
    operationId: "beginProviderAcceptance",
    method: "POST",
    path: "/admin/invitations/provider_address",
    summary: "Begin to accept an invitation at the identity provider",
    description: "The account that signs in there is linked. Its e-mail address is not compared.",
    body: Type.Object({ token: LinkToken }, { additionalProperties: false }),
  },
  finishProviderSignIn: {
    ...anybody,
    operationId: "finishProviderSignIn",
    method: "POST",
    path: "/admin/sign_in/provider",
    summary: "Finish a sign-in at the identity provider",
    description:
      "Signs in, accepts the invitation or links the account, as the browser began. It works once. Accepting removes passkeys, password and sessions that the account had. A sign-in is not a fresh proof.",
    body: Type.Object(
      {
        answer: Type.String({
          minLength: 1,
          maxLength: 8_192,
          description: "the query of the address to which the provider returned the browser",
        }),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(ProviderSignedIn) },
  },
  readOwnIdentity: {
    ...own,
    operationId: "readOwnIdentity",
    method: "GET",
    path: "/admin/me/identity",
    summary: "Read your linked account of the identity provider",
    description: "A person has one at most.",
    success: { status: 200, schema: okEnvelope(OwnIdentity) },
  },
  beginProviderLink: {
    ...own,
    ...begun,
    operationId: "beginProviderLink",
    method: "POST",
    path: "/admin/me/identity/provider_address",
    stepUp: true,
    summary: "Begin to link your account of the identity provider",
    description: "It takes the place of the one that is linked.",
  },
  unlinkOwnIdentity: {
    ...own,
    operationId: "unlinkOwnIdentity",
    method: "DELETE",
    path: "/admin/me/identity",
    stepUp: true,
    summary: "Unlink your account of the identity provider",
    description: "The last way to sign in cannot be removed.",
    success: { status: 204, schema: Type.Null() },
  },
} as const satisfies Record<string, AdminEndpoint>;
