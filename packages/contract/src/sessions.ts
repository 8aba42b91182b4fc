import { type Static, Type } from "@sinclair/typebox";
import { OrderData } from "./orders.ts";
import { named, nullable } from "./schema.ts";
import { Customer, SessionId, SessionLock } from "./tokens.ts";

export const SessionIdParams = Type.Object({ sessionId: SessionId });

/** A session as the merchant reads it: its terms and its outcome. */
export const SessionData = named(
  "SessionData",
  Type.Object({
    sessionId: SessionId,
    status: Type.Union([Type.Literal("active"), Type.Literal("expired")], {
      description: "expired once an order was placed in it",
    }),
    expiresAt: Type.Integer({ description: "Unix seconds; end of its latest public token" }),
    scope: Type.Array(Type.String()),
    lock: SessionLock,
    customer: Customer,
    returnUrl: nullable(Type.String()),
    locale: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    createdAt: Type.Integer({ description: "Unix seconds" }),
    order: nullable(OrderData),
  }),
);
export type SessionData = Static<typeof SessionData>;
