import { type Static, Type } from "@sinclair/typebox";
import { PAGE_QUERY } from "./pages.ts";
import { literals, named, nullable, TimeInput, Uuid } from "./schema.ts";
import { WEBHOOK_EVENT_TYPES, WebhookPayload } from "./webhooks.ts";

export const WEBHOOK_LIMITS = {
  /** Endpoints of one merchant. */
  endpointsMax: 20,
  /** Default time for which both secrets are valid after a rotation. */
  secretOverlapSeconds: 86_400,
  /** Deliveries that one replay of a range may send. */
  replayMax: 10_000,
} as const;

/**
 * Why an endpoint is disabled: it answered 410, every attempt failed for 5 days, or a person
 * disabled it.
 */
export const WEBHOOK_DISABLED_REASONS = ["gone", "failing", "operator", "merchant"] as const;

export const DELIVERY_STATUSES = ["pending", "delivered", "exhausted", "dropped"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const EventType = literals(WEBHOOK_EVENT_TYPES);
const EventTypes = Type.Array(EventType, {
  minItems: 1,
  maxItems: WEBHOOK_EVENT_TYPES.length,
  uniqueItems: true,
});
const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const TargetUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "https on port 443 or 8443 at a public address; in a sandbox also http, loopback and other ports",
});

const ENDPOINT_FIELDS = {
  id: Type.String({ description: "UUID" }),
  url: Type.String(),
  eventTypes: Type.Array(EventType),
  enabled: Type.Boolean({ description: "false: events wait here until you enable it again" }),
  disabledReason: nullable(literals(WEBHOOK_DISABLED_REASONS)),
  disabledAt: nullable(Time("when it was disabled")),
  failingSince: nullable(Time("the first failure since the last success")),
  pausedUntil: nullable(Time("nothing is sent before then: too many recent attempts failed")),
  previousSecretUntil: nullable(Time("until then the secret before the rotation signs too")),
  createdAt: Time("when it was registered"),
};

/** A webhook endpoint of a merchant. */
export const WebhookEndpointData = named("WebhookEndpointData", Type.Object(ENDPOINT_FIELDS));
export type WebhookEndpointData = Static<typeof WebhookEndpointData>;

/** The endpoint with its secret. No other answer contains the secret. */
export const WebhookEndpointWithSecret = named(
  "WebhookEndpointWithSecret",
  Type.Object({
    ...ENDPOINT_FIELDS,
    secret: Type.String({
      description: "`whsec_` and base64. Store it: no other answer contains it",
    }),
  }),
);
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

export const WebhookEndpointParams = Type.Object({ endpointId: Uuid("the endpoint's id") });
export const WebhookDeliveryParams = Type.Object({
  deliveryId: Uuid("the delivery's id, its X-Webhook-Id"),
});

export const CreateWebhookEndpointRequest = Type.Object(
  { url: TargetUrl, eventTypes: Type.Optional(EventTypes) },
  { additionalProperties: false },
);
export type CreateWebhookEndpointRequest = Static<typeof CreateWebhookEndpointRequest>;

export const ChangeWebhookEndpointRequest = Type.Object(
  {
    url: Type.Optional(TargetUrl),
    eventTypes: Type.Optional(EventTypes),
    enabled: Type.Optional(Type.Boolean()),
    previousSecretUntil: Type.Optional(
      Type.Null({ description: "null: the secret before the rotation ends now" }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type ChangeWebhookEndpointRequest = Static<typeof ChangeWebhookEndpointRequest>;

export const RotateWebhookSecretRequest = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WEBHOOK_LIMITS.secretOverlapSeconds,
        description:
          "how long the previous secret still signs too; by default a day; 0 ends it now",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RotateWebhookSecretRequest = Static<typeof RotateWebhookSecretRequest>;

export const TestWebhookRequest = Type.Object(
  {
    eventType: Type.Optional(
      literals(WEBHOOK_EVENT_TYPES, { description: "by default OrderCreated" }),
    ),
  },
  { additionalProperties: false },
);
export type TestWebhookRequest = Static<typeof TestWebhookRequest>;

export const DeliveryAttempt = named(
  "DeliveryAttempt",
  Type.Object({
    number: Type.Integer({ description: "its X-Webhook-Attempt" }),
    startedAt: Time("when it was begun"),
    durationMs: nullable(Type.Integer()),
    status: nullable(Type.Integer({ description: "HTTP status of the answer; null without one" })),
    fault: nullable(
      Type.String({
        description: "null if the endpoint accepted it, otherwise the failure, such as timeout",
      }),
    ),
    plantedFault: nullable(Type.String({ description: "the planted sandbox fault that hit it" })),
    responseExcerpt: nullable(
      Type.String({ description: "the first 256 bytes of the answer, read as UTF-8" }),
    ),
  }),
);

const DELIVERY_FIELDS = {
  id: Type.String({ description: "UUID, the X-Webhook-Id of every attempt" }),
  eventId: Type.String({ description: "UUID of the event, the same for all endpoints" }),
  endpointId: Type.String({ description: "UUID" }),
  eventType: EventType,
  orderId: Type.Integer({ description: "0 in a test" }),
  test: Type.Boolean({ description: "true for a test that you sent; it is not about an order" }),
  status: literals(DELIVERY_STATUSES),
  attemptCount: Type.Integer({ description: "number of attempts, including one in flight" }),
  nextAttemptAt: nullable(Time("when it is due; null when no attempt is to come")),
  createdAt: Time("when it happened"),
  attempts: Type.Array(DeliveryAttempt, { description: "the latest 50, oldest first" }),
};

/** One event for one endpoint, with all its attempts. */
export const WebhookDelivery = named("WebhookDelivery", Type.Object(DELIVERY_FIELDS));
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetail = named(
  "WebhookDeliveryDetail",
  Type.Object({ ...DELIVERY_FIELDS, payload: WebhookPayload }),
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

/** The members of a query that choose deliveries. */
export const DELIVERY_FILTERS = {
  endpointId: Type.Optional(Uuid("of this endpoint")),
  eventType: Type.Optional(EventType),
  status: Type.Optional(literals(DELIVERY_STATUSES)),
  orderId: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "0 for tests" }),
  ),
  createdFrom: Type.Optional(TimeInput("events at that time or later")),
  createdTo: Type.Optional(TimeInput("events before then")),
};

export const WebhookDeliveriesQuery = Type.Object({ ...PAGE_QUERY, ...DELIVERY_FILTERS });
export type WebhookDeliveriesQuery = Static<typeof WebhookDeliveriesQuery>;

/** Which deliveries of a range are replayed. */
export const REPLAY_INCLUDES = ["undelivered", "all"] as const;

export const ReplayRangeRequest = Type.Object(
  {
    endpointId: Uuid("where to"),
    createdFrom: TimeInput("events at that time or later"),
    createdTo: Type.Optional(TimeInput("events before then; by default until now")),
    eventType: Type.Optional(EventType),
    include: Type.Optional(
      literals(REPLAY_INCLUDES, {
        description:
          "`undelivered` (default): events that the endpoint did not accept or was never sent; `all`: accepted events too",
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "true: only count" })),
  },
  { additionalProperties: false },
);
export type ReplayRangeRequest = Static<typeof ReplayRangeRequest>;

export const ReplayRangeResult = Type.Object({
  dryRun: Type.Boolean(),
  matched: Type.Integer({ description: "deliveries in the range" }),
  replayed: Type.Integer({ description: "number that is sent now; 0 in a dry run" }),
});
export type ReplayRangeResult = Static<typeof ReplayRangeResult>;
