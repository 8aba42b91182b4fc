import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { DaysReport } from "./reports.ts";

/** The first screen of a merchant's people: the last seven days. */
export const Shop = named(
  "Shop",
  Type.Object({
    report: DaysReport,
    sessions: Type.Integer({ description: "sessions that began in these days" }),
    placed: Type.Integer({ description: "those with an order" }),
    fulfilled: Type.Integer({ description: "those whose order is completed" }),
    endpoints: Type.Array(
      Type.Object({
        endpointId: Uuid("the endpoint's id"),
        origin: Type.String({ description: "of its address" }),
        state: literals(["active", "disabled"]),
        failingSince: nullable(
          Type.Integer({ description: "Unix seconds; the first failure since the last success" }),
        ),
      }),
      { description: "webhook endpoints that fail or are disabled" },
    ),
  }),
);
export type Shop = Static<typeof Shop>;

export const SHOP_ENDPOINTS = {
  readShop: {
    caller: "person",
    kind: "merchant",
    tag: "Shop",
    permission: "shop.read",
    errors: PERSON_ERRORS,
    operationId: "readShop",
    method: "GET",
    path: "/admin/shop",
    summary: "Read how the shop does",
    description:
      "Volume and fees of the last seven days, conversion from session to fulfilment, and webhook endpoints that fail. The figures are those of the report `days`.",
    success: { status: 200, schema: okEnvelope(Shop) },
  },
} as const satisfies Record<string, AdminEndpoint>;
