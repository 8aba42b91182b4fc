import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type EventItem, type Exchange, ExchangeError, type Page } from "@exchange/node";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { makeSigningKey } from "../../webhooks/signatures.ts";
import { type Command, type CommandContext, UsageError } from "../command.ts";
import { forward } from "../forward.ts";
import { API_OPTIONS, openMerchantApi } from "../merchant-api.ts";

const POLL_MS = 1_000;

export const listen: Command = {
  name: "listen",
  summary:
    "Forward your events to a URL of this machine as they happen, signed. No tunnel is needed.",
  options: {
    "forward-to": {
      value: "URL",
      required: true,
      description: "The URL that receives the events.",
    },
    secret: {
      value: "SECRET",
      description: "Sign with this secret, whsec_…. Default: a new one, which is printed.",
    },
    after: {
      value: "SEQUENCE",
      description: "Begin after this event of GET /events. Default: begin with new events.",
    },
    count: {
      value: "N",
      description: "End after this number of events. Default: run until Ctrl-C.",
    },
    ...API_OPTIONS,
  },
  example: "listen --forward-to http://localhost:3000/webhooks",
  run: async (context, input) => {
    const url = readUrl(input.required("forward-to"));
    const secret = readSecret(input.one("secret"));
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
  readonly api: Exchange;
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

/** Reads the next events. While the service restarts the call is repeated, so that none is missed. */
async function readPage(
  context: CommandContext,
  api: Exchange,
  after: number,
): Promise<Page<EventItem>> {
  for (;;) {
    try {
      return await api.events.list({ limit: 100, after }).firstPage();
    } catch (error) {
      if (!(error instanceof ExchangeError && error.retryable)) throw error;
      context.progress("The service does not answer. Trying again.");
      await sleep(POLL_MS);
    }
  }
}

/** Asks for the end of the events, whose past may be long. */
async function lastSequence(api: Exchange): Promise<number> {
  return Number((await api.events.list({ after: "now" }).firstPage()).nextCursor);
}

function readWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`--${name} must be a whole number, not "${text}".`);
  return Number(text);
}

export function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(
      `"${text}" is not a URL with http or https. Write one such as http://localhost:3000/webhooks.`,
    );
  }
  return text;
}

/** Returns the secret to sign with: a new one where none is given. */
export function readSecret(text: string | undefined): string {
  if (text === undefined) return formatWebhookSecret(randomBytes(WEBHOOK_SECRET_BYTES));
  try {
    makeSigningKey(text);
  } catch {
    throw new UsageError("--secret is not a webhook secret. It is whsec_ and base64.");
  }
  return text;
}
