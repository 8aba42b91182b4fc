import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { named, nullable } from "./schema.ts";
import { Customer, SessionId, SessionLock } from "./tokens.ts";

export const TestCard = Type.Object({
  number: Type.String(),
  brand: Type.String(),
  outcome: Type.String({ description: "the situation in words for a person" }),
});

/** Everything the popup reads when it opens. `null` means "not set". */
export const CheckoutSession = named(
  "CheckoutSession",
  Type.Object({
    sessionId: SessionId,
    status: Type.Union([Type.Literal("active"), Type.Literal("expired")]),
    environment: Type.String(),
    expiresAt: Type.Integer({ description: "Unix seconds" }),
    scope: Type.Array(Type.String()),
    merchant: Type.Object({
      name: Type.String(),
      logoUrl: nullable(Type.String()),
      primaryColor: nullable(Type.String()),
    }),
    operationTypes: Type.Array(OperationType),
    countryCode: Type.String({
      description: "the customer's country, else the merchant's default",
    }),
    defaults: Type.Object({
      baseCurrency: Type.String(),
      targetCurrency: Type.String(),
      baseAmount: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: "in the default base currency" }),
      ),
      targetAmount: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: "in the default target currency" }),
      ),
    }),
    lock: SessionLock,
    customer: Type.Object(
      {
        firstName: Customer.properties.firstName,
        lastName: Customer.properties.lastName,
        countryCode: Customer.properties.countryCode,
        email: Customer.properties.email,
      },
      { description: "the values with which the popup fills its forms" },
    ),
    offersMail: Type.Boolean({
      description: "the service can mail the order's page and a receipt to the customer",
    }),
    returnUrl: nullable(Type.String()),
    locale: nullable(Type.String()),
    orderId: nullable(Type.Integer()),
    unservedCountries: Type.Array(Type.String()),
    slippagePercent: Type.Number({
      description:
        "how much less the customer may receive at a renewed price before the checkout asks them, in percent",
    }),
    operator: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String()),
          licence: Type.Optional(Type.String()),
          termsUrl: Type.Optional(Type.String()),
          privacyUrl: Type.Optional(Type.String()),
          helpUrl: Type.Optional(Type.String()),
          riskNotice: Type.Optional(Type.String()),
        },
        {
          description:
            "the company that operates this installation, as customers see it; absent where nothing of it is set",
        },
      ),
    ),
    testCards: Type.Array(TestCard, { description: "empty in prod" }),
  }),
);
export type CheckoutSession = Static<typeof CheckoutSession>;
