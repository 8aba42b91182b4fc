import { failpoint } from "../failpoints.ts";
import type { ClaimedDelivery } from "../storage/delivery-claims.ts";
import { classifyStatus, type FaultClass } from "./faults.ts";
import { alterHeaders, type PlantedFault, postUnderFault, signedAt } from "./planted-faults.ts";
import type { Poster, PostOutcome } from "./poster.ts";
import { parseRetryAfter } from "./schedule.ts";
import { type SigningSecrets, signatureHeaders } from "./signatures.ts";

export interface AttemptDeps {
  /** Undefined when a secret does not open. */
  readonly secretsOf: (delivery: ClaimedDelivery) => SigningSecrets | undefined;
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

/** Signs the delivery anew and posts it once. Opens no database transaction and never throws. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  { signal, planted }: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const headers = makeHeaders(deps, delivery, planted);
  failpoint("webhook.before_post");
  const outcome: PostOutcome =
    headers === undefined
      ? { kind: "failed", fault: "secret" }
      : await postUnderFault(
          deps.poster,
          { url: delivery.endpoint.url, headers, body: delivery.payload, signal },
          planted,
        );
  failpoint("webhook.after_post");
  return {
    ...readOutcome(outcome, deps.realNow()),
    durationMs: elapsedMs(startedAt),
    plantedFault: planted?.kind ?? null,
  };
}

/** Undefined without secrets: nothing is ever sent unsigned. */
function makeHeaders(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  planted: PlantedFault | undefined,
): Record<string, string> | undefined {
  const secrets = deps.secretsOf(delivery);
  if (secrets === undefined) return undefined;
  const signatures = signatureHeaders(secrets, {
    webhookId: delivery.id,
    timestamp: Math.floor(signedAt(deps.realNow(), planted).getTime() / 1000),
    eventType: delivery.eventType,
    orderId: delivery.orderId,
    body: delivery.payload,
  });
  return {
    ...alterHeaders(signatures, planted),
    "X-Webhook-Attempt": String(delivery.attempt),
    ...(delivery.isTest && { "X-Webhook-Test": "true" }),
    "content-type": "application/json",
    "user-agent": USER_AGENT,
  };
}

function readOutcome(
  outcome: PostOutcome,
  now: Date,
): Omit<AttemptResult, "durationMs" | "plantedFault"> {
  if (outcome.kind === "failed") {
    return { fault: outcome.fault, status: null, retryAfterMs: undefined, responseExcerpt: null };
  }
  return {
    fault: classifyStatus(outcome.status),
    status: outcome.status,
    retryAfterMs: parseRetryAfter(outcome.retryAfter, now),
    responseExcerpt: outcome.excerpt,
  };
}

const elapsedMs = (startedAt: number): number => Math.round(performance.now() - startedAt);
