import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { CountryCodeText, matching, named } from "./schema.ts";

export const SessionId = named(
  "SessionId",
  matching("^[^\\u0000-\\u001f\\u007f-\\u009f]*$", "text without control characters", {
    minLength: 1,
    maxLength: 255,
    description:
      "The merchant's name for one checkout; it ties one public token to one order. Any text of 1 to 255 characters without control characters.",
  }),
);

/** Terms that the merchant's server fixes. The popup shows them and refuses to change them. */
export const SessionLock = named(
  "SessionLock",
  Type.Object(
    {
      operationType: Type.Optional(OperationType),
      baseCurrency: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      baseAmount: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      targetCurrency: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      paymentMethod: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      memo: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: "memo or tag of walletAddress",
        }),
      ),
      withoutMemo: Type.Optional(
        Type.Literal(true, {
          description: "walletAddress needs no memo, and the customer adds none",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
export type SessionLock = Static<typeof SessionLock>;

export const Customer = named(
  "Customer",
  Type.Object(
    {
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      email: Type.Optional(
        matching("^[^@\\s]+@[^@\\s]+$", "an e-mail address", { minLength: 3, maxLength: 254 }),
      ),
      firstName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      lastName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      countryCode: Type.Optional(CountryCodeText),
    },
    { additionalProperties: false },
  ),
);
export type Customer = Static<typeof Customer>;

const MetadataKey = matching("^.{1,40}$", "1 to 40 characters on one line");

export const CreateTokenRequest = named(
  "CreateTokenRequest",
  Type.Object(
    {
      sessionId: SessionId,
      // Unbounded: an unknown scope of any length is INVALID_SCOPE (completion, section 4).
      scope: Type.Optional(Type.Array(Type.String())),
      expiresIn: Type.Optional(
        Type.Integer({ minimum: 60, maximum: 86_400, description: "lifetime in seconds" }),
      ),
      lock: Type.Optional(SessionLock),
      customer: Type.Optional(Customer),
      returnUrl: Type.Optional(
        matching("^https?://", "a web address that begins with https:// or http://", {
          maxLength: 2048,
        }),
      ),
      locale: Type.Optional(
        matching("^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", "a language tag such as en or pt-BR", {
          maxLength: 35,
        }),
      ),
      metadata: Type.Optional(
        Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
          maxProperties: 20,
          propertyNames: MetadataKey,
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
export type CreateTokenRequest = Static<typeof CreateTokenRequest>;

export const PublicToken = named(
  "PublicToken",
  Type.Object({
    accessToken: Type.String({ description: "JWT used by the SDK" }),
    tokenType: Type.Literal("Bearer"),
    expiresIn: Type.Integer({ description: "lifetime in seconds" }),
    expiresAt: Type.Integer({ description: "Unix seconds" }),
    scope: Type.Array(Type.String()),
    jti: Type.String(),
  }),
);
export type PublicToken = Static<typeof PublicToken>;
