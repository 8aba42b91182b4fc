import {
  type Outgoing,
  StoredPayload,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookEndpointData,
  type WebhookEndpointWithSecret,
} from "@exchange/contract";
import type { AddedWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import type { WebhookEndpoint } from "../../flows/webhooks/list-endpoints.ts";
import type { AttemptView, DeliveryView } from "../../flows/webhooks/read-deliveries.ts";
import { toUnixSeconds, unixSecondsOrNull } from "../wire.ts";

export const presentEndpoint = (endpoint: WebhookEndpoint): WebhookEndpointData => ({
  id: endpoint.id,
  url: endpoint.url,
  eventTypes: [...endpoint.eventTypes],
  enabled: endpoint.state === "active",
  disabledReason: endpoint.disabledReason,
  disabledAt: unixSecondsOrNull(endpoint.disabledAt),
  failingSince: unixSecondsOrNull(endpoint.firstFailureAt),
  pausedUntil: unixSecondsOrNull(endpoint.pausedUntil),
  previousSecretUntil: unixSecondsOrNull(endpoint.previousSecretUntil),
  createdAt: toUnixSeconds(endpoint.createdAt),
});

export const presentWithSecret = (added: AddedWebhookEndpoint): WebhookEndpointWithSecret => ({
  ...presentEndpoint(added.endpoint),
  secret: added.secret,
});

export const presentDelivery = (delivery: DeliveryView): WebhookDelivery => ({
  id: delivery.id,
  eventId: delivery.eventId,
  endpointId: delivery.endpointId,
  eventType: delivery.eventType,
  orderId: Number(delivery.orderId),
  test: delivery.isTest,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: unixSecondsOrNull(delivery.nextAttemptAt),
  createdAt: toUnixSeconds(delivery.createdAt),
  attempts: delivery.attempts.map(presentAttempt),
});

export const presentDeliveryDetail = (delivery: DeliveryView): Outgoing<WebhookDeliveryDetail> => ({
  ...presentDelivery(delivery),
  payload: new StoredPayload(delivery.payload),
});

const presentAttempt = (attempt: AttemptView): WebhookDelivery["attempts"][number] => ({
  number: attempt.number,
  startedAt: toUnixSeconds(attempt.startedAt),
  durationMs: attempt.durationMs,
  status: attempt.status,
  fault: attempt.fault,
  plantedFault: attempt.plantedFault,
  responseExcerpt: attempt.responseExcerpt && toText(attempt.responseExcerpt),
});

/**
 * Decodes a stored body. Bytes that are not UTF-8, such as a character cut in half at the end,
 * become replacement characters.
 */
const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
