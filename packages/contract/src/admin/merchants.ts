import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope, okEnvelope } from "../envelopes.ts";
import { PAGE_QUERY } from "../pages.ts";
import { CountryCodeText, named, nullable } from "../schema.ts";
import { type AdminEndpoint, CSV_FILE, EXPORT_WORDS, PERSON_ERRORS } from "./endpoint.ts";
import { MERCHANT_KEY_ENDPOINTS, Origin } from "./keys.ts";
import { MERCHANT_SETTINGS_ENDPOINTS } from "./settings.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const MerchantName = Type.String({ minLength: 1, maxLength: 200 });

/** A merchant in the operator's list. */
export const ListedMerchant = named(
  "ListedMerchant",
  Type.Object({
    merchantId: Type.String({ description: "its client id" }),
    name: Type.String(),
    createdAt: Time("when it was created"),
    disabledAt: nullable(Time("its keys and tokens are refused since then")),
    keys: Type.Integer({ description: "API keys that are neither revoked nor expired" }),
    people: Type.Integer({ description: "people of it with an account that is not disabled" }),
  }),
);
export type ListedMerchant = Static<typeof ListedMerchant>;

export const CreatedMerchantWithKey = named(
  "CreatedMerchantWithKey",
  Type.Object({
    merchant: ListedMerchant,
    apiKey: Type.String({
      description: "hand it to the merchant's server: no other answer contains it",
    }),
  }),
);
export type CreatedMerchantWithKey = Static<typeof CreatedMerchantWithKey>;

const ofMerchants = {
  caller: "person",
  kind: "operator",
  tag: "Merchants",
  errors: PERSON_ERRORS,
} as const;
const read = { ...ofMerchants, permission: "merchants.read" } as const;
const manage = { ...ofMerchants, permission: "merchants.manage", stepUp: true } as const;

const MERCHANT_FILTERS = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
};

const ClientId = Type.Object({ merchantId: Type.String({ minLength: 1, maxLength: 64 }) });
const { listKeys, createKey, rollKey, revokeKey, readOrigins, changeOrigins } =
  MERCHANT_KEY_ENDPOINTS;
const { readMerchantSettings, changeMerchantSettings } = MERCHANT_SETTINGS_ENDPOINTS;
const ofClient = { params: ClientId } as const;
const ofKey = { params: Type.Composite([ClientId, rollKey.params]) } as const;
const switched = {
  ...manage,
  method: "POST",
  params: ClientId,
  success: { status: 200, schema: okEnvelope(ListedMerchant) },
} as const;

/** All merchants, for the operator. Keys, origins and settings are those that the merchant's own people have. */
export const MERCHANT_ENDPOINTS = {
  listMerchants: {
    ...read,
    operationId: "listMerchants",
    method: "GET",
    path: "/admin/merchants",
    summary: "List merchants",
    description:
      "The newest first, disabled ones too. `name` finds a part of a name or a client id.",
    query: Type.Object({ ...MERCHANT_FILTERS, ...PAGE_QUERY }),
    success: { status: 200, schema: listEnvelope(ListedMerchant) },
  },
  exportMerchants: {
    ...read,
    operationId: "exportMerchants",
    method: "GET",
    path: "/admin/merchants/export",
    summary: "Download the list of merchants as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(MERCHANT_FILTERS),
    ...CSV_FILE,
  },
  createMerchant: {
    ...manage,
    operationId: "createMerchant",
    method: "POST",
    path: "/admin/merchants",
    summary: "Create a merchant with its first API key",
    description:
      "Only this answer contains the key. The merchant's customers spend the currency of its country by default.",
    body: Type.Object(
      {
        name: MerchantName,
        countryCode: CountryCodeText,
        origins: Type.Optional(Type.Array(Origin, { maxItems: 20 })),
      },
      { additionalProperties: false },
    ),
    success: { status: 201, schema: createdEnvelope(CreatedMerchantWithKey) },
  },
  readMerchant: {
    ...read,
    ...ofClient,
    operationId: "readMerchant",
    method: "GET",
    path: "/admin/merchants/{merchantId}",
    summary: "Read a merchant",
    description: "Its state, and how many keys and people it has.",
    success: { status: 200, schema: okEnvelope(ListedMerchant) },
  },
  disableMerchant: {
    ...switched,
    operationId: "disableMerchant",
    path: "/admin/merchants/{merchantId}/disable",
    summary: "Disable a merchant",
    description:
      "Within a second its keys and tokens are refused. Orders on their way go on, and so do their payouts and webhooks.",
    body: Type.Object(
      { reason: Type.String({ minLength: 3, maxLength: 500 }) },
      { additionalProperties: false },
    ),
  },
  enableMerchant: {
    ...switched,
    operationId: "enableMerchant",
    path: "/admin/merchants/{merchantId}/enable",
    summary: "Enable a disabled merchant",
    description: "Its keys and unexpired tokens work again.",
  },
  listKeysOfMerchant: {
    ...listKeys,
    ...read,
    ...ofClient,
    operationId: "listKeysOfMerchant",
    path: "/admin/merchants/{merchantId}/keys",
  },
  createKeyOfMerchant: {
    ...createKey,
    ...manage,
    ...ofClient,
    operationId: "createKeyOfMerchant",
    path: "/admin/merchants/{merchantId}/keys",
  },
  rollKeyOfMerchant: {
    ...rollKey,
    ...manage,
    ...ofKey,
    operationId: "rollKeyOfMerchant",
    path: "/admin/merchants/{merchantId}/keys/{keyId}/roll",
  },
  revokeKeyOfMerchant: {
    ...revokeKey,
    ...manage,
    ...ofKey,
    operationId: "revokeKeyOfMerchant",
    path: "/admin/merchants/{merchantId}/keys/{keyId}",
  },
  readOriginsOfMerchant: {
    ...readOrigins,
    ...read,
    ...ofClient,
    operationId: "readOriginsOfMerchant",
    path: "/admin/merchants/{merchantId}/origins",
  },
  changeOriginsOfMerchant: {
    ...changeOrigins,
    ...manage,
    ...ofClient,
    operationId: "changeOriginsOfMerchant",
    path: "/admin/merchants/{merchantId}/origins",
  },
  readSettingsOfMerchant: {
    ...readMerchantSettings,
    ...read,
    ...ofClient,
    operationId: "readSettingsOfMerchant",
    path: "/admin/merchants/{merchantId}/settings",
  },
  changeSettingsOfMerchant: {
    ...changeMerchantSettings,
    ...manage,
    ...ofClient,
    operationId: "changeSettingsOfMerchant",
    path: "/admin/merchants/{merchantId}/settings",
  },
} as const satisfies Record<string, AdminEndpoint>;
