import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { CountryCodeText, matching, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";

const Amount = matching("^[0-9]{1,12}(\\.[0-9]{1,18})?$", "an amount such as 100 or 0.5");
const Reference = Type.String({ minLength: 1, maxLength: 64 });
const Choice = Type.Object({ value: Type.String(), name: Type.String() });

/** The settings of a merchant that its people see. */
export const MerchantSettings = named(
  "MerchantSettings",
  Type.Object({
    name: Type.String(),
    countryCode: Type.String(),
    baseCurrency: Type.String({ description: "the popup begins with it" }),
    targetCurrency: Type.String({ description: "the popup begins with it" }),
    baseAmount: nullable(Type.String()),
    targetAmount: nullable(Type.String({ description: "used where no base amount is set" })),
    logoUrl: nullable(Type.String({ description: "an image as a data URL" })),
    primaryColor: nullable(Type.String()),
    tokenLifetimeSeconds: nullable(Type.Integer({ description: "null: 1800" })),
    countries: Type.Array(Choice),
    currencies: Type.Array(Choice),
    spendCurrencies: Type.Array(Choice),
  }),
);
export type MerchantSettings = Static<typeof MerchantSettings>;

const read = {
  caller: "person",
  kind: "merchant",
  tag: "Settings",
  permission: "integration.read",
  errors: PERSON_ERRORS,
} as const;

export const MERCHANT_SETTINGS_ENDPOINTS = {
  readMerchantSettings: {
    ...read,
    operationId: "readMerchantSettings",
    method: "GET",
    path: "/admin/settings",
    summary: "Read the merchant's settings",
    description: "With the countries and currencies that may be chosen.",
    success: { status: 200, schema: okEnvelope(MerchantSettings) },
  },
  changeMerchantSettings: {
    ...read,
    operationId: "changeMerchantSettings",
    method: "PATCH",
    path: "/admin/settings",
    permission: "settings.manage",
    summary: "Change the merchant's settings",
    description:
      "Null removes a setting. An absent member keeps its value. Changes take effect within a second.",
    body: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        countryCode: Type.Optional(CountryCodeText),
        baseCurrency: Type.Optional(Reference),
        targetCurrency: Type.Optional(Reference),
        baseAmount: Type.Optional(nullable(Amount)),
        targetAmount: Type.Optional(nullable(Amount)),
        logoUrl: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 49_152 }))),
        primaryColor: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 16 }))),
        tokenLifetimeSeconds: Type.Optional(nullable(Type.Integer())),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    success: { status: 200, schema: okEnvelope(MerchantSettings) },
  },
} as const satisfies Record<string, AdminEndpoint>;
