import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from "@exchange/contract";
import type { Exchange, WebhookDelivery } from "@exchange/node";
import { testPayload } from "../../flows/webhooks/send-test.ts";
import { TEST_ORDER_ID } from "../../storage/webhooks/test-events.ts";
import { type Command, type CommandContext, type CommandResult, UsageError } from "../command.ts";
import { forward } from "../forward.ts";
import { API_OPTIONS, openMerchantApi } from "../merchant-api.ts";
import { showOutcome } from "./deliveries.ts";
import { readSecret, readUrl } from "./listen.ts";

const WAIT_MS = 20_000;
const POLL_MS = 250;

export const trigger: Command = {
  name: "trigger",
  summary: "Send a sample event, marked as a test, to your endpoints or to a URL.",
  options: {
    event: {
      value: "TYPE",
      description: `One of ${WEBHOOK_EVENT_TYPES.join(", ")}. Default: OrderCreated.`,
    },
    endpoint: { value: "ID", description: "Send to this endpoint. Default: to all." },
    "forward-to": { value: "URL", description: "Send from this machine to this URL instead." },
    secret: {
      value: "SECRET",
      description:
        "With --forward-to: sign with this secret. Default: a new one, which is printed.",
    },
    ...API_OPTIONS,
  },
  example: "trigger --event OrderFulfillment",
  run: async (context, input) => {
    const eventType = readEventType(input.one("event") ?? "OrderCreated");
    const url = input.one("forward-to");
    if (url !== undefined) {
      const to = { url: readUrl(url), secret: readSecret(input.one("secret")) };
      return sendHere(context, to, eventType);
    }
    const api = openMerchantApi(context, input);
    const endpoints = await chosenEndpoints(api, input.one("endpoint"));
    if (endpoints.length === 0)
      throw new UsageError("No enabled endpoint is registered. Add one, or use --forward-to.");
    const deliveries = await Promise.all(endpoints.map((id) => sendTest(api, id, eventType)));
    const isDelivered = deliveries.every(({ status }) => status === "delivered");
    return { json: deliveries, text: deliveries.map(showOutcome).join("\n"), ok: isDelivered };
  },
};

async function sendHere(
  context: CommandContext,
  to: { readonly url: string; readonly secret: string },
  eventType: WebhookEventType,
): Promise<CommandResult> {
  context.progress(`Signing secret: ${to.secret}`);
  const id = randomUUID();
  const body = testPayload(eventType, id);
  const event = { id, eventType, orderId: TEST_ORDER_ID, body, isTest: true } as const;
  const result = await forward(to, event);
  const text = `${eventType} to ${to.url}: ${result}`;
  return { json: { id, eventType, result }, text, ok: /^2\d\d /.test(result) };
}

async function chosenEndpoints(api: Exchange, chosen: string | undefined): Promise<string[]> {
  if (chosen !== undefined) return [chosen];
  const { data } = await api.webhookEndpoints.list().firstPage();
  return data.filter(({ enabled }) => enabled).map(({ id }) => id);
}

/** Sends a test and waits for its outcome, up to a limit. */
async function sendTest(
  api: Exchange,
  endpointId: string,
  eventType: WebhookEventType,
): Promise<WebhookDelivery> {
  let delivery = await api.webhookEndpoints.test(endpointId, { eventType });
  for (let waited = 0; waited < WAIT_MS && delivery.status === "pending"; waited += POLL_MS) {
    await sleep(POLL_MS);
    delivery = await api.webhookDeliveries.read(delivery.id);
  }
  return delivery;
}

export function readEventType(text: string): WebhookEventType {
  const eventType = WEBHOOK_EVENT_TYPES.find((candidate) => candidate === text);
  if (eventType !== undefined) return eventType;
  throw new UsageError(
    `"${text}" is not an event type. Use one of ${WEBHOOK_EVENT_TYPES.join(", ")}.`,
  );
}
