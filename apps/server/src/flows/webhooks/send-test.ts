import {
  encodeJson,
  type Outgoing,
  type WebhookEventType,
  type WebhookPayload,
} from "@exchange/contract";
import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { findWebhookEndpoint } from "../../storage/webhooks/endpoints.ts";
import { recordTestEvent, TEST_ORDER_ID } from "../../storage/webhooks/test-events.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { type DeliveryView, requireDelivery } from "./read-deliveries.ts";
import { isUuid, noSuchEndpoint } from "./require-endpoint.ts";

export interface SendTestWebhook {
  readonly merchantId: string;
  readonly endpointId: string;
  /** OrderCreated by default. */
  readonly eventType?: WebhookEventType | undefined;
  /** The person in the console. Absent when the merchant's server asks for the test. */
  readonly operator?: Operator | undefined;
}

/**
 * Sends a test webhook, which belongs to no order, to one endpoint. Refuses NOT_FOUND, and
 * INVALID_INPUT when the endpoint is disabled.
 */
export async function sendTestWebhook(
  deps: Pick<Deps, "database" | "ids">,
  command: SendTestWebhook,
): Promise<DeliveryView> {
  const { merchantId, eventType = "OrderCreated", operator } = command;
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  const payload = testPayload(eventType, deps.ids.uuid());
  const id = await deps.database.transaction(async (tx) => {
    const recorded = await recordTestEvent(tx, { ...command, eventType, payload });
    if (recorded !== undefined && operator !== undefined) {
      await logControl(tx, {
        operator,
        action: "test_webhook_endpoint",
        subject: command.endpointId,
        details: { client: merchantId, eventType, delivery: recorded },
        before: null,
        after: null,
      });
    }
    return recorded;
  });
  if (id === undefined) throw await refusalFor(deps, command);
  return requireDelivery(deps.database, { merchantId, id });
}

async function refusalFor(
  deps: Pick<Deps, "database">,
  command: SendTestWebhook,
): Promise<Refusal> {
  if (!(await findWebhookEndpoint(deps.database, command))) return noSuchEndpoint();
  return new Refusal("INVALID_INPUT", {
    message: "The webhook endpoint is disabled. Enable it first.",
  });
}

/** The documented body about an order that cannot exist: no order has the id 0. */
export function testPayload(eventType: WebhookEventType, id: string): string {
  const isDone = eventType === "OrderFulfillment";
  const payload: Outgoing<WebhookPayload> = {
    eventType,
    sessionId: `exchange-test-${id}`,
    details: {
      orderId: Number(TEST_ORDER_ID),
      status: TEST_STATUS[eventType],
      paymentMethod: "Test",
      fulfilled: isDone,
      totalPrice: 100,
      totalPriceCurrency: "CAD",
      exchangeDetails: {
        baseCurrency: "CAD",
        amountReceived: 100,
        targetCurrency: "BTC",
        amountToSend: 0.00105,
        operationType: "B",
      },
    },
  };
  return encodeJson(payload);
}

const TEST_STATUS = {
  OrderCreated: "awaiting_payment",
  OrderFulfillment: "completed",
  OrderUpdated: "processing",
  OrderRefunded: "refunded",
} as const;
