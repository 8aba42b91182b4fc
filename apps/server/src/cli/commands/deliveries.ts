import type { ReplayRangeResult, WebhookDelivery } from "@exchange/contract";
import { UsageError } from "../arguments.ts";
import type { Command, CommandInput } from "../command.ts";
import { API_OPTIONS, type MerchantApi, openMerchantApi } from "../merchant-api.ts";

const POLL_MS = 1_000;

/** A line on a delivery and how its latest attempt went. */
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
  summary: "Show what is sent to your endpoints, as it happens.",
  options: {
    endpoint: { value: "ID", description: "Only to this endpoint." },
    count: { value: "N", description: "End after so many lines; until Ctrl-C when left out." },
    ...API_OPTIONS,
  },
  example: "deliveries tail",
  run: async (context, input) => {
    const api = openMerchantApi(context, input);
    const count = Number(input.one("count") ?? Number.POSITIVE_INFINITY);
    if (Number.isNaN(count)) throw new UsageError("--count takes a number.");
    const endpoint = input.one("endpoint");
    const query = endpoint === undefined ? "" : `&endpointId=${encodeURIComponent(endpoint)}`;
    const seen = new Set<string>();
    const shown: WebhookDelivery[] = [];
    for (const one of await latest(api, query)) seen.add(stateOf(one));
    while (shown.length < count) {
      const fresh = (await latest(api, query)).filter((one) => !seen.has(stateOf(one)));
      for (const delivery of fresh.toReversed()) {
        seen.add(stateOf(delivery));
        shown.push(delivery);
        context.progress(showOutcome(delivery));
      }
      if (shown.length < count) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return { json: shown, text: "" };
  },
};

const latest = async (api: MerchantApi, query: string): Promise<readonly WebhookDelivery[]> =>
  (await api.get<{ data: WebhookDelivery[] }>(`/webhook_deliveries?limit=100${query}`)).data;

/** What makes another line: the attempt that is under way counts when it has ended. */
const stateOf = ({ id, status, attempts }: WebhookDelivery): string =>
  `${id} ${status} ${attempts.length}`;

export const deliveriesReplay: Command = {
  name: "deliveries replay",
  summary: "Send one webhook again, or an endpoint everything of a range that it did not take.",
  options: {
    id: { value: "ID", description: "One delivery, by its X-Webhook-Id." },
    endpoint: { value: "ID", description: "A range: the endpoint it is sent to." },
    from: {
      value: "TIME",
      description: "A range: events of then or later, such as 2026-01-31T12:00Z.",
    },
    to: { value: "TIME", description: "A range: events before then; until now when left out." },
    all: { description: "A range: also what the endpoint took." },
    "dry-run": { description: "A range: only count." },
    ...API_OPTIONS,
  },
  example: "deliveries replay --endpoint 6f1c2a34-0000-4000-8000-000000000000 --from 2026-01-31",
  run: async (context, input) => {
    const api = openMerchantApi(context, input);
    const id = input.one("id");
    if (id !== undefined) {
      const path = `/webhook_deliveries/${encodeURIComponent(id)}/replay`;
      const { data } = await api.post<{ data: WebhookDelivery }>(path, {});
      return { json: data, text: `Delivery ${id} is sent again.` };
    }
    const { data } = await api.post<{ data: ReplayRangeResult }>(
      "/webhook_deliveries/replay",
      readRange(input),
    );
    const done = data.dryRun ? "would be sent again" : "are sent again";
    return { json: data, text: `${data.matched} deliveries ${done}.` };
  },
};

function readRange(input: CommandInput): object {
  const [endpointId, from, to] = [input.one("endpoint"), input.one("from"), input.one("to")];
  if (endpointId === undefined || from === undefined) {
    throw new UsageError("Name one delivery with --id, or a range with --endpoint and --from.");
  }
  return {
    endpointId,
    createdFrom: readTime("from", from),
    ...(to === undefined ? {} : { createdTo: readTime("to", to) }),
    include: input.has("all") ? "all" : "undelivered",
    dryRun: input.has("dry-run"),
  };
}

function readTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new UsageError(`--${name} takes a time, such as 2026-01-31T12:00Z, not "${text}".`);
  }
  return Math.floor(time / 1_000);
}
