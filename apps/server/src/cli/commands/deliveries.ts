import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange, ReplayWebhookDeliveriesRequest, WebhookDelivery } from "@exchange/node";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { API_OPTIONS, openMerchantApi } from "../merchant-api.ts";

const POLL_MS = 1_000;

/** Returns one line about a delivery and the outcome of its latest attempt. */
export function showOutcome(delivery: WebhookDelivery): string {
  const { id, eventType, orderId, status, attemptCount } = delivery;
  const last = delivery.attempts.at(-1);
  const answer =
    last === undefined ? "" : `: ${last.status ?? last.fault} in ${last.durationMs} ms`;
  const planted = last?.plantedFault ? ` (planted: ${last.plantedFault})` : "";
  return `${id}  ${eventType}  order ${orderId}  ${status}  attempt ${attemptCount}${answer}${planted}`;
}

export const deliveriesTail: Command = {
  name: "deliveries tail",
  summary: "Show the deliveries to your endpoints as they happen.",
  options: {
    endpoint: { value: "ID", description: "Show deliveries to this endpoint only." },
    count: {
      value: "N",
      description: "End after this number of lines. Default: run until Ctrl-C.",
    },
    ...API_OPTIONS,
  },
  example: "deliveries tail",
  run: async (context, input) => {
    const api = openMerchantApi(context, input);
    const count = Number(input.one("count") ?? Number.POSITIVE_INFINITY);
    if (Number.isNaN(count)) throw new UsageError("--count must be a number, such as 10.");
    const endpointId = input.one("endpoint");
    const seen = new Set<string>();
    const shown: WebhookDelivery[] = [];
    for (const one of await listNewest(api, endpointId)) seen.add(stateOf(one));
    while (shown.length < count) {
      const fresh = (await listNewest(api, endpointId)).filter((one) => !seen.has(stateOf(one)));
      for (const delivery of fresh.toReversed()) {
        seen.add(stateOf(delivery));
        shown.push(delivery);
        context.progress(showOutcome(delivery));
      }
      if (shown.length < count) await sleep(POLL_MS);
    }
    return { json: shown, text: "" };
  },
};

const listNewest = async (
  api: Exchange,
  endpointId: string | undefined,
): Promise<readonly WebhookDelivery[]> =>
  (await api.webhookDeliveries.list({ limit: 100, endpointId }).firstPage()).data;

/** A change of this text makes another line. An attempt appears in it when it has ended. */
const stateOf = ({ id, status, attempts }: WebhookDelivery): string =>
  `${id} ${status} ${attempts.length}`;

export const deliveriesReplay: Command = {
  name: "deliveries replay",
  summary: "Send one webhook again, or all events of a time range that an endpoint did not accept.",
  options: {
    id: { value: "ID", description: "One delivery: its X-Webhook-Id." },
    endpoint: { value: "ID", description: "A range: the endpoint that receives it." },
    from: {
      value: "TIME",
      description: "A range: events from this time on, such as 2026-01-31T12:00Z.",
    },
    to: { value: "TIME", description: "A range: events before this time. Default: now." },
    all: { description: "A range: also events that the endpoint accepted." },
    "dry-run": { description: "A range: count the events and send none." },
    ...API_OPTIONS,
  },
  argument: "id",
  example: "deliveries replay --endpoint 6f1c2a34-0000-4000-8000-000000000000 --from 2026-01-31",
  run: async (context, input) => {
    const api = openMerchantApi(context, input);
    const id = input.one("id");
    if (id !== undefined) {
      const delivery = await api.webhookDeliveries.replay(id);
      return { json: delivery, text: `Delivery ${id} is sent again.` };
    }
    const replay = await api.webhookDeliveries.replayRange(readRange(input));
    const done = replay.dryRun ? "would be sent again" : "are sent again";
    return { json: replay, text: `${replay.matched} deliveries ${done}.` };
  },
};

function readRange(input: CommandInput): ReplayWebhookDeliveriesRequest {
  const [endpointId, from, to] = [input.one("endpoint"), input.one("from"), input.one("to")];
  if (endpointId === undefined || from === undefined) {
    throw new UsageError("Name one delivery with --id, or a range with --endpoint and --from.");
  }
  return {
    endpointId,
    createdFrom: readTime("from", from),
    ...(to === undefined ? {} : { createdTo: readTime("to", to) }),
    include: input.hasFlag("all") ? "all" : "undelivered",
    dryRun: input.hasFlag("dry-run"),
  };
}

function readTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new UsageError(`--${name} must be a time such as 2026-01-31T12:00Z, not "${text}".`);
  }
  return Math.floor(time / 1_000);
}
