import { type Static, Type } from "@sinclair/typebox";
import { createdEnvelope, listEnvelope, okEnvelope } from "../envelopes.ts";
import { named } from "../schema.ts";
import {
  ChangeWebhookEndpointRequest,
  CreateWebhookEndpointRequest,
  DELIVERY_FILTERS,
  ReplayRangeRequest,
  ReplayRangeResult,
  RotateWebhookSecretRequest,
  TestWebhookRequest,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryParams,
  WebhookEndpointData,
  WebhookEndpointParams,
  WebhookEndpointWithSecret,
} from "../webhook-management.ts";
import { type AdminEndpoint, CSV_FILE, EXPORT_WORDS, PERSON_ERRORS } from "./endpoint.ts";

/** A delivery with its exact body and the strings that its signatures cover. */
export const SpelledDelivery = named(
  "SpelledDelivery",
  Type.Object({
    delivery: WebhookDelivery,
    body: Type.String({ description: "the exact text of the body" }),
    signedStrings: Type.Object(
      {
        documented: Type.String({
          description: "`X-Webhook-Signature` is its HMAC-SHA256 with the whole secret, in hex",
        }),
        standard: Type.String({
          description:
            "`webhook-signature` is its HMAC-SHA256 with the decoded secret, in base64 after `v1,`",
        }),
      },
      {
        description:
          "`{timestamp}` is the header `X-Webhook-Timestamp`, which each attempt has of its own",
      },
    ),
  }),
);
export type SpelledDelivery = Static<typeof SpelledDelivery>;

const read = {
  caller: "person",
  kind: "merchant",
  tag: "Webhooks",
  permission: "integration.read",
  errors: PERSON_ERRORS,
} as const;
const change = { ...read, permission: "webhooks.manage" } as const;
/** The secret is opened, or events go elsewhere. */
const guarded = { ...change, stepUp: true } as const;

/** Webhook endpoints and deliveries of the merchant of the person who calls, by the rules of the merchant's API. */
export const ADMIN_WEBHOOK_ENDPOINTS = {
  listMerchantWebhooks: {
    ...read,
    operationId: "listMerchantWebhooks",
    method: "GET",
    path: "/admin/webhook_endpoints",
    summary: "List webhook endpoints",
    description: "The oldest first, with their health.",
    success: { status: 200, schema: listEnvelope(WebhookEndpointData) },
  },
  addMerchantWebhook: {
    ...guarded,
    operationId: "addMerchantWebhook",
    method: "POST",
    path: "/admin/webhook_endpoints",
    summary: "Register a webhook endpoint",
    description: "Only this answer contains its secret.",
    body: CreateWebhookEndpointRequest,
    success: { status: 201, schema: createdEnvelope(WebhookEndpointWithSecret) },
  },
  changeMerchantWebhook: {
    ...guarded,
    operationId: "changeMerchantWebhook",
    method: "PATCH",
    path: "/admin/webhook_endpoints/{endpointId}",
    summary: "Change, disable or enable a webhook endpoint",
    description:
      "With `enabled` false its events wait, and with true they are sent. An endpoint that the operator disabled is enabled by the operator.",
    params: WebhookEndpointParams,
    body: ChangeWebhookEndpointRequest,
    success: { status: 200, schema: okEnvelope(WebhookEndpointData) },
  },
  removeMerchantWebhook: {
    ...guarded,
    operationId: "removeMerchantWebhook",
    method: "DELETE",
    path: "/admin/webhook_endpoints/{endpointId}",
    summary: "Remove a webhook endpoint",
    description: "Deletes its secret and drops its pending deliveries.",
    params: WebhookEndpointParams,
    success: { status: 204, schema: Type.Null() },
  },
  rotateMerchantWebhookSecret: {
    ...guarded,
    operationId: "rotateMerchantWebhookSecret",
    method: "POST",
    path: "/admin/webhook_endpoints/{endpointId}/rotate_secret",
    summary: "Rotate a webhook secret",
    description:
      "Only this answer contains the new secret. For a day, or for `overlapSeconds`, the earlier one signs too.",
    params: WebhookEndpointParams,
    body: RotateWebhookSecretRequest,
    success: { status: 200, schema: okEnvelope(WebhookEndpointWithSecret) },
  },
  testMerchantWebhook: {
    ...change,
    operationId: "testMerchantWebhook",
    method: "POST",
    path: "/admin/webhook_endpoints/{endpointId}/test",
    summary: "Send a test webhook",
    description: "A signed webhook that is not about an order, sent once.",
    params: WebhookEndpointParams,
    body: TestWebhookRequest,
    success: { status: 201, schema: createdEnvelope(WebhookDelivery) },
  },
  listMerchantDeliveries: {
    ...read,
    operationId: "listMerchantDeliveries",
    method: "GET",
    path: "/admin/webhook_deliveries",
    summary: "List webhook deliveries",
    description: "The newest first, each with its attempts.",
    query: WebhookDeliveriesQuery,
    success: { status: 200, schema: listEnvelope(WebhookDelivery) },
  },
  exportMerchantDeliveries: {
    ...read,
    operationId: "exportMerchantDeliveries",
    method: "GET",
    path: "/admin/webhook_deliveries/export",
    summary: "Download the list of webhook deliveries as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(DELIVERY_FILTERS),
    ...CSV_FILE,
  },
  readMerchantDelivery: {
    ...read,
    operationId: "readMerchantDelivery",
    method: "GET",
    path: "/admin/webhook_deliveries/{deliveryId}",
    summary: "Read a webhook delivery",
    description: "Its attempts, its exact body and the strings that its signatures cover.",
    params: WebhookDeliveryParams,
    success: { status: 200, schema: okEnvelope(SpelledDelivery) },
  },
  replayMerchantDelivery: {
    ...change,
    operationId: "replayMerchantDelivery",
    method: "POST",
    path: "/admin/webhook_deliveries/{deliveryId}/replay",
    summary: "Send a webhook again",
    description: "With the same id and body, and a new schedule of attempts.",
    params: WebhookDeliveryParams,
    success: { status: 200, schema: okEnvelope(WebhookDelivery) },
  },
  replayMerchantDeliveries: {
    ...change,
    operationId: "replayMerchantDeliveries",
    method: "POST",
    path: "/admin/webhook_deliveries/replay",
    summary: "Send the webhooks of a time again",
    description: "At most 10000. With `dryRun` true they are only counted.",
    body: ReplayRangeRequest,
    success: { status: 200, schema: okEnvelope(ReplayRangeResult) },
  },
} as const satisfies Record<string, AdminEndpoint>;
