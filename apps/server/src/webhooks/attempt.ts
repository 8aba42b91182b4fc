import { failpoint } from "../failpoints.ts";
import { readRetryAfter } from "../retry-after.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import type { DeliveryFault } from "./delivery-faults.ts";
import { classifyStatus, type ErrorClass } from "./error-classes.ts";
import type { Lease } from "./lease.ts";
import type { Post, Poster, PostOutcome } from "./poster.ts";
import { type SigningKeys, signatureHeaders } from "./signatures.ts";

export interface AttemptDeps {
  /** Returns undefined when a secret does not open. */
  readonly keysOf: (delivery: ClaimedDelivery) => SigningKeys | undefined;
  readonly poster: Poster;
  /** Real time, not business time: receivers refuse what is older than 5 minutes by their clock. */
  readonly realNow: () => Date;
}

/** The result of one attempt. Without an error class, the endpoint accepted the webhook. */
export interface AttemptResult {
  readonly errorClass: ErrorClass | undefined;
  readonly status: number | null;
  readonly retryAfterMs: number | undefined;
  readonly responseExcerpt: Uint8Array | null;
  readonly durationMs: number;
  /** The kind of the planted fault that hit it. */
  readonly plantedFault: string | null;
}

export interface AttemptOptions {
  readonly signal: AbortSignal;
  readonly lease: Lease;
  /** The fault that the sandbox plants into this attempt. */
  readonly planted?: DeliveryFault | undefined;
}

const USER_AGENT = "Exchange-Webhooks/1";

const NO_SECRET: PostOutcome = { kind: "failed", errorClass: "secret" };

/** Signs the delivery and posts it once. Opens no database transaction and never rejects. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  { signal, planted, lease }: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const headers = makeHeaders(deps, delivery, planted);
  failpoint("webhook.before_post");
  const outcome = headers
    ? await postWith(deps.poster, planted, {
        url: delivery.endpoint.url,
        headers,
        body: delivery.payload,
        signal,
        lease,
      })
    : NO_SECRET;
  failpoint("webhook.after_post");
  return readOutcome(outcome, {
    now: deps.realNow(),
    durationMs: Math.round(performance.now() - startedAt),
    plantedFault: planted?.kind ?? null,
  });
}

const postWith = (
  poster: Poster,
  planted: DeliveryFault | undefined,
  post: Post,
): Promise<PostOutcome> => planted?.post?.(poster, post) ?? poster.post(post);

/** Returns undefined without keys: no webhook is ever sent unsigned. */
function makeHeaders(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  planted: DeliveryFault | undefined,
): Record<string, string> | undefined {
  const keys = deps.keysOf(delivery);
  if (keys === undefined) return undefined;
  const now = deps.realNow();
  const signedAt = planted?.signedAt?.(now) ?? now;
  const signatures = signatureHeaders(keys, {
    webhookId: delivery.id,
    timestamp: Math.floor(signedAt.getTime() / 1000),
    eventType: delivery.eventType,
    orderId: delivery.orderId,
    body: delivery.payload,
  });
  const headers = planted?.alterHeaders?.(signatures) ?? signatures;
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
    errorClass: isAnswer ? classifyStatus(outcome.status) : outcome.errorClass,
    status: isAnswer ? outcome.status : null,
    retryAfterMs: isAnswer ? readRetryAfter(outcome.retryAfter, now.getTime()) : undefined,
    responseExcerpt: isAnswer ? outcome.excerpt : null,
    durationMs,
    plantedFault,
  };
}
