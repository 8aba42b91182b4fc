import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, named, nullable } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { OPERATION_NAMES } from "./order-story.ts";
import { AdminStop, EXCHANGE_STOP_KINDS, StopReasonSeen, StopSubject } from "./payouts.ts";

const Euro = (description: string) => nullable(Type.String({ description }));
const LIMITS = {
  minEuro: Euro("the least of an exchange, in euro. Null: unlimited"),
  maxEuro: Euro("the most of an exchange, in euro. Null: unlimited"),
};
const ITEM = {
  name: Type.String(),
  enabled: Type.Boolean({ description: "as the catalogue's files have it" }),
  /** The stop of this item itself. */
  stop: nullable(AdminStop),
};

/** Everything that can be exchanged, with the stops in force. */
export const CatalogueView = named(
  "CatalogueView",
  Type.Object({
    currencies: Type.Array(
      Type.Object({
        reference: Type.String(),
        code: Type.String(),
        networkCode: nullable(Type.String({ description: "null for a fiat currency" })),
        ...LIMITS,
        ...ITEM,
      }),
    ),
    networks: Type.Array(
      Type.Object({ code: Type.String(), confirmations: Type.Integer(), ...ITEM }),
    ),
    methods: Type.Array(
      Type.Object({
        reference: Type.String(),
        operations: Type.Array(Type.Object({ operation: literals(OPERATION_NAMES), ...LIMITS }), {
          description: "the operations that it pays for, with the limits of the general rules",
        }),
        ...ITEM,
      }),
    ),
    countries: Type.Array(
      Type.Object({
        code: Type.String(),
        name: Type.String(),
        currencyCode: Type.String(),
        operations: Type.Array(literals(OPERATION_NAMES), {
          description: "the operations that are offered there; none: the country is not served",
        }),
        ...LIMITS,
      }),
    ),
    stops: Type.Array(AdminStop, { description: "of pairs and merchants" }),
  }),
);
export type CatalogueView = Static<typeof CatalogueView>;

const StopKind = literals(EXCHANGE_STOP_KINDS);
const shared = {
  caller: "person",
  kind: "operator",
  tag: "Catalogue",
  errors: PERSON_ERRORS,
  success: { status: 200, schema: okEnvelope(CatalogueView) },
} as const;

export const CATALOGUE_ENDPOINTS = {
  readCatalogue: {
    ...shared,
    operationId: "readCatalogue",
    method: "GET",
    path: "/admin/catalogue",
    permission: "catalogue.read",
    summary: "Read currencies, networks, payment methods and countries, and what is stopped",
    description: "Those that the files disable too, in the order of the files.",
  },
  stopExchanges: {
    ...shared,
    operationId: "stopExchanges",
    method: "POST",
    path: "/admin/catalogue/stops",
    permission: "catalogue.stop",
    stepUp: true,
    summary: "Stop a currency, a network, a payment method, a pair or a merchant",
    description:
      "Within a second no quote and no order of it is accepted. After the answer no payout of it is released or signed. It is a stop as those of `POST /admin/stops`.",
    body: Type.Object(
      {
        kind: StopKind,
        subject: StopSubject,
        reason: Type.String({ minLength: 3, maxLength: 500 }),
      },
      { additionalProperties: false },
    ),
  },
  resumeExchanges: {
    ...shared,
    operationId: "resumeExchanges",
    method: "POST",
    path: "/admin/catalogue/stops/resume",
    permission: "catalogue.stop",
    stepUp: true,
    summary: "Resume what was stopped",
    description: "Quotes are accepted again within a second, and payouts that waited go on.",
    body: Type.Object(
      { kind: StopKind, subject: StopSubject, stopReason: StopReasonSeen },
      { additionalProperties: false },
    ),
  },
} as const satisfies Record<string, AdminEndpoint>;
