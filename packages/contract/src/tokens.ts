import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { named } from "./schema.ts";

export const SessionId = named(
  "SessionId",
  Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "^[A-Za-z0-9._:-]+$",
    description: "The merchant's name for one checkout; it ties one public token to one order.",
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
        Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
      ),
      firstName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      lastName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      countryCode: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2}$" })),
    },
    { additionalProperties: false },
  ),
);
export type Customer = Static<typeof Customer>;

export const CreateTokenRequest = named(
  "CreateTokenRequest",
  Type.Object({
    sessionId: SessionId,
    scope: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16 })),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 86_400, description: "lifetime in seconds" }),
    ),
    lock: Type.Optional(SessionLock),
    customer: Type.Optional(Customer),
    returnUrl: Type.Optional(Type.String({ maxLength: 2048, pattern: "^https?://" })),
    locale: Type.Optional(
      Type.String({ maxLength: 35, pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: "^.{1,40}$" }), Type.String({ maxLength: 500 }), {
        maxProperties: 20,
        additionalProperties: false,
      }),
    ),
  }),
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
