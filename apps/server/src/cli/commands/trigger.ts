import { randomBytes, randomUUID } from "node:crypto";
import {
  WEBHOOK_EVENT_TYPES,
  type WebhookDelivery,
  type WebhookEndpointData,
  type WebhookEventType,
} from "@exchange/contract";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { testPayload } from "../../flows/webhooks/send-test.ts";
import { TEST_ORDER_ID } from "../../storage/webhooks/test-events.ts";
import { UsageError } from "../arguments.ts";
import type { Command, CommandContext, CommandResult } from "../command.ts";
import { forward } from "../forward.ts";
import { API_OPTIONS, type MerchantApi, openMerchantApi } from "../merchant-api.ts";
import { showOutcome } from "./deliveries.ts";
import { readUrl } from "./listen.ts";

const WAIT_MS = 20_000;
const POLL_MS = 250;

export const trigger: Command = {
  name: "trigger",
  summary: "Send a sample event, marked as a test, to your endpoints or to a URL.",
  options: {
    event: {
      value: "TYPE",
      description: `One of ${WEBHOOK_EVENT_TYPES.join(", ")}; OrderCreated when left out.`,
    },
    endpoint: { value: "ID", description: "Only to this endpoint; to all when left out." },
    "forward-to": { value: "URL", description: "From this machine to this URL instead." },
    secret: {
      value: "SECRET",
      description: "With --forward-to: sign with this secret; a new one, printed, when left out.",
    },
    ...API_OPTIONS,
  },
  example: "trigger --event OrderFulfillment",
  run: async (context, input) => {
    const eventType = readEventType(input.one("event") ?? "OrderCreated");
    const url = input.one("forward-to");
    if (url !== undefined) {
      return sendHere(context, { url: readUrl(url), secret: input.one("secret") }, eventType);
    }
    const api = openMerchantApi(context, input);
    const endpoints = await chosenEndpoints(api, input.one("endpoint"));
    if (endpoints.length === 0) throw new UsageError("No endpoint is registered and enabled.");
    const deliveries = await Promise.all(endpoints.map((id) => sendTest(api, id, eventType)));
    const isDelivered = deliveries.every(({ status }) => status === "delivered");
    return { json: deliveries, text: deliveries.map(showOutcome).join("\n"), ok: isDelivered };
  },
};

async function sendHere(
  context: CommandContext,
  to: { readonly url: string; readonly secret: string | undefined },
  eventType: WebhookEventType,
): Promise<CommandResult> {
  const secret = to.secret ?? formatWebhookSecret(randomBytes(WEBHOOK_SECRET_BYTES));
  context.progress(`Signing secret: ${secret}`);
  const id = randomUUID();
  const body = testPayload(eventType, id);
  const event = { id, eventType, orderId: TEST_ORDER_ID, body, isTest: true } as const;
  const result = await forward({ url: to.url, secret }, event);
  const text = `${eventType} to ${to.url}: ${result}`;
  return { json: { id, eventType, result }, text, ok: /^2\d\d /.test(result) };
}

async function chosenEndpoints(api: MerchantApi, chosen: string | undefined): Promise<string[]> {
  if (chosen !== undefined) return [encodeURIComponent(chosen)];
  const { data } = await api.get<{ data: WebhookEndpointData[] }>("/webhook_endpoints");
  return data.filter(({ enabled }) => enabled).map(({ id }) => id);
}

/** Sends it and waits until it is known how it went, or too long. */
async function sendTest(
  api: MerchantApi,
  endpointId: string,
  eventType: WebhookEventType,
): Promise<WebhookDelivery> {
  const sent = await api.post<{ data: WebhookDelivery }>(`/webhook_endpoints/${endpointId}/test`, {
    eventType,
  });
  let delivery = sent.data;
  for (let waited = 0; waited < WAIT_MS && delivery.status === "pending"; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const read = await api.get<{ data: WebhookDelivery }>(`/webhook_deliveries/${delivery.id}`);
    delivery = read.data;
  }
  return delivery;
}

function readEventType(text: string): WebhookEventType {
  const known = WEBHOOK_EVENT_TYPES.find((type) => type === text);
  if (known === undefined) throw new UsageError(`"${text}" is no event type.`);
  return known;
}
