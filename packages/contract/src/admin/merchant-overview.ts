import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { DaysReport } from "./reports.ts";

/** The first screen of a merchant's people: the last seven days. */
export const MerchantOverview = named(
  "MerchantOverview",
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
export type MerchantOverview = Static<typeof MerchantOverview>;

export const MERCHANT_OVERVIEW_ENDPOINTS = {
  readMerchantOverview: {
    caller: "person",
    kind: "merchant",
    tag: "Merchant overview",
    permission: "merchant_overview.read",
    errors: PERSON_ERRORS,
    operationId: "readMerchantOverview",
    method: "GET",
    path: "/admin/merchant_overview",
    summary: "Read the figures of the merchant's last seven days",
    description:
      "Volume and fees of the last seven days, conversion from session to fulfilment, and webhook endpoints that fail. The figures are those of the report `days`.",
    success: { status: 200, schema: okEnvelope(MerchantOverview) },
  },
} as const satisfies Record<string, AdminEndpoint>;
