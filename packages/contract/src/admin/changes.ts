import { type Static, Type } from "@sinclair/typebox";
import { literals, named } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import type { Permission, RoleKind } from "./roles.ts";

export const CHANGE_TOPICS = [
  "orders",
  "reviews",
  "payouts",
  "stops",
  "breaks",
  "prices",
  "webhooks",
  "audit",
] as const;
export type ChangeTopic = (typeof CHANGE_TOPICS)[number];

/** The people who hear of each topic: those who may read it. */
export const TOPIC_READERS: Readonly<
  Record<ChangeTopic, { readonly permission: Permission; readonly kind?: RoleKind }>
> = {
  orders: { permission: "orders.read" },
  reviews: { permission: "orders.read", kind: "operator" },
  payouts: { permission: "payouts.read" },
  stops: { permission: "payouts.read" },
  breaks: { permission: "overview.read" },
  prices: { permission: "prices.read" },
  webhooks: { permission: "integration.read" },
  audit: { permission: "audit.read" },
};

export const ChangeNotice = named(
  "ChangeNotice",
  Type.Object({
    topics: Type.Array(literals(CHANGE_TOPICS), {
      description: "the topics with a change; none in an event that only keeps the stream alive",
    }),
  }),
);
export type ChangeNotice = Static<typeof ChangeNotice>;

export const CHANGE_ENDPOINTS = {
  followChanges: {
    operationId: "followChanges",
    method: "GET",
    path: "/admin/changes",
    caller: "person",
    tag: "Overview",
    stream: true,
    summary: "Hear of changes",
    description:
      "A stream of events named `changes`. The first event names every topic that you may read, and each later one the topics that have changed since, at most once a second. An event has no rows: read them by their own calls. A merchant's people hear of their merchant alone. An event without topics comes after 15 seconds of silence. The stream ends with the session, and after 15 minutes at the latest: open it again. An account has at most 8 streams, and more answer 429.",
    success: { status: 200, schema: ChangeNotice },
    errors: PERSON_ERRORS,
  },
} as const satisfies Record<string, AdminEndpoint>;
