import { randomBytes } from "node:crypto";
import type { WebhookEventType } from "@exchange/contract";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { UsageError } from "../arguments.ts";
import type { Command, CommandContext } from "../command.ts";
import { forward } from "../forward.ts";
import { API_OPTIONS, type MerchantApi, openMerchantApi } from "../merchant-api.ts";

interface Event {
  readonly id: string;
  readonly sequence: number;
  readonly eventType: WebhookEventType;
  readonly payload: { readonly details: { readonly orderId: number } };
}

interface Page {
  readonly data: readonly Event[];
  readonly nextCursor: string | null;
}

const POLL_MS = 1_000;

export const listen: Command = {
  name: "listen",
  summary: "Send your events to a URL of this machine as they happen, signed; no tunnel needed.",
  options: {
    "forward-to": { value: "URL", required: true, description: "Where they are posted." },
    secret: {
      value: "SECRET",
      description: "Sign with this secret, whsec_…; a new one, printed, when left out.",
    },
    after: {
      value: "SEQUENCE",
      description: "Begin after this event of GET /events; with new events when left out.",
    },
    count: { value: "N", description: "End after so many events; until Ctrl-C when left out." },
    ...API_OPTIONS,
  },
  example: "listen --forward-to http://localhost:3000/webhooks",
  run: async (context, input) => {
    const url = readUrl(input.required("forward-to"));
    const secret = input.one("secret") ?? formatWebhookSecret(randomBytes(WEBHOOK_SECRET_BYTES));
    const count = readWhole("count", input.one("count")) ?? Number.POSITIVE_INFINITY;
    const api = openMerchantApi(context, input);
    const after = readWhole("after", input.one("after")) ?? (await lastSequence(api));
    context.progress(`Signing secret: ${secret}`);
    context.progress(`Waiting for events after ${after}, for ${url}`);
    const forwarded = await forwardAll({ context, api, to: { url, secret } }, { after, count });
    return { json: forwarded, text: `Forwarded ${forwarded.length} events.` };
  },
};

interface Forwarding {
  readonly context: CommandContext;
  readonly api: MerchantApi;
  readonly to: { readonly url: string; readonly secret: string };
}

interface Forwarded {
  readonly sequence: number;
  readonly eventType: string;
  readonly result: string;
}

async function forwardAll(
  { context, api, to }: Forwarding,
  from: { readonly after: number; readonly count: number },
): Promise<Forwarded[]> {
  const forwarded: Forwarded[] = [];
  let { after } = from;
  while (forwarded.length < from.count) {
    const page = await readPage(context, api, after);
    for (const event of page.data.slice(0, from.count - forwarded.length)) {
      const result = await forward(to, {
        id: event.id,
        eventType: event.eventType,
        orderId: BigInt(event.payload.details.orderId),
        body: JSON.stringify(event.payload),
      });
      after = event.sequence;
      const { sequence, eventType } = event;
      forwarded.push({ sequence, eventType, result });
      context.progress(
        `${String(sequence).padStart(6)}  ${eventType}  order ${event.payload.details.orderId}  ${result}`,
      );
    }
    const isDone = forwarded.length >= from.count;
    if (!isDone && page.nextCursor === null) await sleep(POLL_MS);
  }
  return forwarded;
}

/** A service that restarts is waited for: listening goes on where it was. */
async function readPage(context: CommandContext, api: MerchantApi, after: number): Promise<Page> {
  for (;;) {
    try {
      return await api.get<Page>(`/events?limit=100&after=${after}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      context.progress("The service does not answer; trying again.");
      await sleep(POLL_MS);
    }
  }
}

async function lastSequence(api: MerchantApi): Promise<number> {
  let last = 0;
  for (;;) {
    const page: Page = await api.get(`/events?limit=100&after=${last}`);
    last = page.data.at(-1)?.sequence ?? last;
    if (page.nextCursor === null) return last;
  }
}

function readWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} takes a whole number.`);
  return Number(text);
}

export function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`"${text}" is not a URL with http or https.`);
  }
  return text;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
