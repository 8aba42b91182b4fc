import { failpoint } from "../failpoints.ts";
import {
  alterHeaders,
  type PlantedFault,
  postUnderFault,
  signedAt,
} from "../sandbox/faults/planted-faults.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { classifyStatus, type FaultClass } from "./faults.ts";
import type { Poster, PostOutcome } from "./poster.ts";
import { parseRetryAfter } from "./schedule.ts";
import { type SigningKeys, signatureHeaders } from "./signatures.ts";

export interface AttemptDeps {
  /** Undefined when a secret does not open. */
  readonly keysOf: (delivery: ClaimedDelivery) => SigningKeys | undefined;
  readonly poster: Poster;
  /** Real time, not business time: receivers refuse what is older than 5 minutes by their clock. */
  readonly realNow: () => Date;
}

/** How one try ended. Without a fault the endpoint took the webhook. */
export interface AttemptResult {
  readonly fault: FaultClass | undefined;
  readonly status: number | null;
  readonly retryAfterMs: number | undefined;
  readonly responseExcerpt: Uint8Array | null;
  readonly durationMs: number;
  /** The planted fault that hit it. */
  readonly plantedFault: string | null;
}

export interface AttemptOptions {
  readonly signal: AbortSignal;
  /** What the sandbox does to this attempt on purpose. */
  readonly planted?: PlantedFault | undefined;
}

const USER_AGENT = "Exchange-Webhooks/1";

const NO_SECRET: PostOutcome = { kind: "failed", fault: "secret" };

/** Signs the delivery anew and posts it once. Opens no database transaction and never rejects. */
export function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  { signal, planted }: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const headers = makeHeaders(deps, delivery, planted);
  failpoint("webhook.before_post");
  const end = (outcome: PostOutcome): AttemptResult => {
    failpoint("webhook.after_post");
    return readOutcome(outcome, {
      now: deps.realNow(),
      durationMs: Math.round(performance.now() - startedAt),
      plantedFault: planted?.kind ?? null,
    });
  };
  if (headers === undefined) return Promise.resolve(end(NO_SECRET));
  const { url } = delivery.endpoint;
  const post = { url, headers, body: delivery.payload, signal };
  return postUnderFault(deps.poster, post, planted).then(end);
}

/** Undefined without keys: nothing is ever sent unsigned. */
function makeHeaders(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  planted: PlantedFault | undefined,
): Record<string, string> | undefined {
  const keys = deps.keysOf(delivery);
  if (keys === undefined) return undefined;
  const signatures = signatureHeaders(keys, {
    webhookId: delivery.id,
    timestamp: Math.floor(signedAt(deps.realNow(), planted).getTime() / 1000),
    eventType: delivery.eventType,
    orderId: delivery.orderId,
    body: delivery.payload,
  });
  const headers = alterHeaders(signatures, planted);
  headers["X-Webhook-Attempt"] = String(delivery.attempt);
  if (delivery.isTest) headers["X-Webhook-Test"] = "true";
  headers["content-type"] = "application/json";
  headers["user-agent"] = USER_AGENT;
  return headers;
}

interface Circumstances extends Pick<AttemptResult, "durationMs" | "plantedFault"> {
  readonly now: Date;
}

function readOutcome(
  outcome: PostOutcome,
  { now, durationMs, plantedFault }: Circumstances,
): AttemptResult {
  const isAnswer = outcome.kind === "answered";
  return {
    fault: isAnswer ? classifyStatus(outcome.status) : outcome.fault,
    status: isAnswer ? outcome.status : null,
    retryAfterMs: isAnswer ? parseRetryAfter(outcome.retryAfter, now) : undefined,
    responseExcerpt: isAnswer ? outcome.excerpt : null,
    durationMs,
    plantedFault,
  };
}
