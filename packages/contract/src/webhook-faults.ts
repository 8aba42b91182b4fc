import { type Static, Type } from "@sinclair/typebox";
import { literals, named, UUID_PATTERN } from "./schema.ts";
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
        "`delay`: sent later; `drop`: lost on the way, tried again on schedule; `duplicate`: sent twice; `reorder`: the order's later events overtake it; `corrupt_body`: one byte changed after signing; `corrupt_signature`: neither signature holds; `stale_timestamp`: rightly signed ten minutes ago",
    }),
    endpointId: Type.Optional(
      Type.String({ pattern: UUID_PATTERN, description: "only there; everywhere unless told" }),
    ),
    eventType: Type.Optional(literals(WEBHOOK_EVENT_TYPES, { description: "only these events" })),
    deliveries: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: "how many it hits, 1 unless told" }),
    ),
    delaySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: "of `delay` and `reorder`: by how much it is late, 5 unless told",
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
    deliveriesLeft: Type.Integer({ description: "how many it will hit yet" }),
    createdAt: Type.Integer({ description: "Unix seconds" }),
  }),
);
export type WebhookFault = Static<typeof WebhookFault>;
