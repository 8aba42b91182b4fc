import { type TSchema, Type } from "@sinclair/typebox";
import { named } from "./schema.ts";

/**
 * Success body of most endpoints: `success`, `code` "ok", `data`. The interface documents another
 * one for the two that create and for the wallet lookup, whose result has its own `success`.
 */
export const okEnvelope = <Data extends TSchema>(data: Data) =>
  Type.Object({ success: Type.Literal(true), code: Type.Literal("ok"), data });

/** Success body of a list: one page, and the cursor of the next page. */
export const listEnvelope = <Item extends TSchema>(item: Item) =>
  Type.Object({
    success: Type.Literal(true),
    code: Type.Literal("ok"),
    data: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "cursor of the next page; null at the end",
    }),
  });

/** Success body of token and wallet creation: `code` "OK", `data`, `message`. */
export const createdEnvelope = <Data extends TSchema>(data: Data) =>
  Type.Object({ code: Type.Literal("OK"), data, message: Type.String() });

/** One problem of a request. An amount out of range comes with its limits. */
export const ErrorDetail = Type.Object({
  path: Type.Optional(Type.String({ description: "where in the request, e.g. body.baseAmount" })),
  issue: Type.Optional(Type.String()),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  currencyCode: Type.Optional(Type.String()),
  boundBy: Type.Optional(
    Type.String({ description: "the rule that sets the limit, e.g. payment_method" }),
  ),
});

/** The documented error body with its additive fields. */
export const ErrorBody = named(
  "ErrorBody",
  Type.Object(
    {
      code: Type.String(),
      message: Type.String(),
      requestId: Type.Optional(Type.String()),
      details: Type.Optional(Type.Array(ErrorDetail)),
    },
    { additionalProperties: true },
  ),
);
