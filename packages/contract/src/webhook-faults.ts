import { type Static, Type } from "@sinclair/typebox";
import { literals, named, Uuid } from "./schema.ts";
import { WEBHOOK_EVENT_TYPES } from "./webhooks.ts";

/** Faults that the sandbox can plant in a webhook, so that merchants can test their receivers. */
export const WEBHOOK_FAULT_KINDS = [
  "delay",
  "drop",
  "duplicate",
  "reorder",
  "corrupt_body",
  "corrupt_signature",
  "stale_timestamp",
] as const;
export type WebhookFaultKind = (typeof WEBHOOK_FAULT_KINDS)[number];

export const PlantWebhookFaultRequest = Type.Object(
  {
    fault: literals(WEBHOOK_FAULT_KINDS, {
      description:
        "`delay`: sent later; `drop`: lost on the way, retried on schedule; `duplicate`: sent twice; `reorder`: the order's later events overtake it; `corrupt_body`: one byte changed after signing; `corrupt_signature`: neither signature is valid; `stale_timestamp`: validly signed ten minutes ago",
    }),
    endpointId: Type.Optional(Uuid("only this endpoint; by default all of them")),
    eventType: Type.Optional(literals(WEBHOOK_EVENT_TYPES, { description: "only these events" })),
    deliveries: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: "number of webhooks it hits; by default 1",
      }),
    ),
    delaySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: "for `delay` and `reorder`: seconds of the delay; by default 5",
      }),
    ),
  },
  { additionalProperties: false },
);
export type PlantWebhookFaultRequest = Static<typeof PlantWebhookFaultRequest>;

export const WebhookFault = named(
  "WebhookFault",
  Type.Object({
    id: Type.String({ description: "UUID" }),
    fault: literals(WEBHOOK_FAULT_KINDS),
    endpointId: Type.Union([Type.String(), Type.Null()]),
    eventType: Type.Union([literals(WEBHOOK_EVENT_TYPES), Type.Null()]),
    delaySeconds: Type.Union([Type.Integer(), Type.Null()]),
    deliveriesLeft: Type.Integer({ description: "number of webhooks it will still hit" }),
    createdAt: Type.Integer({ description: "Unix seconds" }),
  }),
);
export type WebhookFault = Static<typeof WebhookFault>;
