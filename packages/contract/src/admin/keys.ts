import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope, okEnvelope } from "../envelopes.ts";
import { literals, matching, named, nullable, TimeInput } from "../schema.ts";
import { KEY_SCOPES } from "../scopes.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";

/** The longest time that a key works beside the key that replaces it. */
export const KEY_OVERLAP_SECONDS_MAX = 604_800;

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const Scopes = Type.Array(literals(KEY_SCOPES), { minItems: 1, uniqueItems: true });
export const Origin = Type.String({
  minLength: 1,
  maxLength: 300,
  description: "such as https://shop.example, without a path",
});

/** An API key without its secret. */
export const MerchantKey = named(
  "MerchantKey",
  Type.Object({
    keyId: Type.String(),
    prefix: Type.String({ description: "the beginning of the key, which is not secret" }),
    state: literals(["active", "expired", "revoked"]),
    scopes: Type.Array(Type.String(), { description: "what the key may do" }),
    networks: nullable(
      Type.Array(Type.String(), { description: "the key works from these only; null: everywhere" }),
    ),
    expiresAt: nullable(Time("the key stops working then")),
    createdAt: Time("when it was created"),
    revokedAt: nullable(Time("when it was revoked")),
    lastUsedAt: nullable(Time("the last call with it, up to a minute late")),
    lastAddress: nullable(Type.String({ description: "the network address of that call" })),
  }),
);
export type MerchantKey = Static<typeof MerchantKey>;

export const MerchantKeyWithSecret = named(
  "MerchantKeyWithSecret",
  Type.Object({
    key: MerchantKey,
    apiKey: Type.String({ description: "store it on your server: no other answer contains it" }),
  }),
);
export type MerchantKeyWithSecret = Static<typeof MerchantKeyWithSecret>;

/** The pages that may open the popup. */
export const MerchantOrigins = named(
  "MerchantOrigins",
  Type.Object({ origins: Type.Array(Type.String()) }),
);
export type MerchantOrigins = Static<typeof MerchantOrigins>;

const KeyParams = Type.Object({
  keyId: matching("^[a-z2-7]{12}$", "the 12 characters after the environment in the key"),
});

const read = {
  caller: "person",
  kind: "merchant",
  tag: "Keys",
  permission: "integration.read",
  errors: PERSON_ERRORS,
} as const;
const change = { ...read, permission: "keys.manage", stepUp: true } as const;

/** API keys and origins of the merchant of the person who calls. */
export const MERCHANT_KEY_ENDPOINTS = {
  listKeys: {
    ...read,
    operationId: "listKeys",
    method: "GET",
    path: "/admin/keys",
    summary: "List the merchant's API keys",
    description: "Keys that work and keys that ended, the newest first, without their secrets.",
    success: { status: 200, schema: listEnvelope(MerchantKey) },
  },
  createKey: {
    ...change,
    operationId: "createKey",
    method: "POST",
    path: "/admin/keys",
    summary: "Create an API key",
    description:
      "Only this answer contains the key. A merchant has at most two keys that work, so that one can replace the other without a pause. A person gives a key only scopes within their own rights, by default all of those; another scope is refused with `ROLE_REQUIRED`. The operator's people give any.",
    body: Type.Object(
      {
        scopes: Type.Optional(Scopes),
        expiresAt: Type.Optional(TimeInput("when it stops working")),
        networks: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 }),
        ),
      },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(MerchantKeyWithSecret) },
  },
  rollKey: {
    ...change,
    operationId: "rollKey",
    method: "POST",
    path: "/admin/keys/{keyId}/roll",
    summary: "Replace an API key",
    description:
      "Creates a key with the same limits, which only this answer contains. The earlier key works for a day longer, or for `overlapSeconds`; 0 revokes it at once. A person of the merchant replaces only a key whose scopes are within their own rights; another is refused with `ROLE_REQUIRED`.",
    params: KeyParams,
    body: Type.Object(
      {
        overlapSeconds: Type.Optional(
          Type.Integer({ minimum: 0, maximum: KEY_OVERLAP_SECONDS_MAX }),
        ),
      },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(MerchantKeyWithSecret) },
  },
  revokeKey: {
    ...change,
    operationId: "revokeKey",
    method: "DELETE",
    path: "/admin/keys/{keyId}",
    summary: "Revoke an API key",
    description: "It stops working within a second.",
    params: KeyParams,
    success: { status: 204, schema: Type.Null() },
  },
  readOrigins: {
    ...read,
    operationId: "readOrigins",
    method: "GET",
    path: "/admin/origins",
    summary: "List the origins whose pages may open the popup",
    description: "In the order in which they were added.",
    success: { status: 200, schema: okEnvelope(MerchantOrigins) },
  },
  changeOrigins: {
    ...change,
    operationId: "changeOrigins",
    method: "PATCH",
    path: "/admin/origins",
    summary: "Add and remove origins",
    description: "The service uses the new list within a second.",
    body: Type.Object(
      {
        add: Type.Optional(Type.Array(Origin, { maxItems: 20 })),
        remove: Type.Optional(Type.Array(Origin, { maxItems: 100 })),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    success: { status: 200, schema: okEnvelope(MerchantOrigins) },
  },
} as const satisfies Record<string, AdminEndpoint>;
