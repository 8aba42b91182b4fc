import { type Static, Type } from "@sinclair/typebox";
import { listEnvelope } from "../envelopes.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, CSV_FILE, EXPORT_WORDS, PERSON_ERRORS } from "./endpoint.ts";

/** A call of the merchants' API. */
export const LoggedRequest = named(
  "LoggedRequest",
  Type.Object({
    requestId: Uuid("the x-request-id of the answer"),
    at: Type.Integer({ description: "Unix seconds; when it was answered" }),
    method: Type.String(),
    path: Type.String({ description: "without its values, such as /v1/orders/{orderId}" }),
    status: Type.Integer(),
    code: nullable(Type.String({ description: "the code of an error answer" })),
    reason: nullable(
      Type.String({ description: "why the key was refused, such as wrong_secret or expired_key" }),
    ),
    keyId: nullable(Type.String({ description: "null for a call of a customer's browser" })),
    orderId: nullable(Type.Integer()),
    milliseconds: Type.Integer({ description: "how long the answer took" }),
  }),
);
export type LoggedRequest = Static<typeof LoggedRequest>;

const REQUEST_FILTERS = {
  requestId: Type.Optional(Uuid("the x-request-id of an answer")),
  outcome: Type.Optional(literals(["failed"])),
};

const read = {
  method: "GET",
  caller: "person",
  kind: "merchant",
  tag: "Requests",
  permission: "integration.read",
  errors: PERSON_ERRORS,
} as const;

export const REQUEST_ENDPOINTS = {
  listRequests: {
    ...read,
    operationId: "listRequests",
    path: "/admin/requests",
    summary: "Search the log of requests",
    description:
      "The calls of your servers, the failed calls of your customers' browsers, and calls refused for a key of yours. The newest come first. A call appears within a second and is kept for 7 days. In a busy second each process of the service keeps 20 successful and 100 failed calls.",
    query: Type.Object({ ...REQUEST_FILTERS, ...PAGE_QUERY }),
    success: { status: 200, schema: listEnvelope(LoggedRequest) },
  },
  exportRequests: {
    ...read,
    operationId: "exportRequests",
    path: "/admin/requests/export",
    summary: "Download the log of requests as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(REQUEST_FILTERS),
    ...CSV_FILE,
  },
} as const satisfies Record<string, AdminEndpoint>;
