import type { SecretBox } from "../domain/ports/secret-box.ts";
import { failpoint } from "../failpoints.ts";
import type { ClaimedDelivery } from "../storage/deliveries.ts";
import { webhookSecretPlace } from "../storage/webhook-endpoints.ts";
import { classifyStatus, type FaultClass } from "./faults.ts";
import type { Poster, PostOutcome } from "./poster.ts";
import { parseRetryAfter } from "./schedule.ts";
import { signatureHeaders } from "./signatures.ts";

export interface AttemptDeps {
  readonly secrets: SecretBox;
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
}

const USER_AGENT = "Exchange-Webhooks/1";

/** Signs the delivery anew and posts it once. Opens no database transaction and never throws. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const headers = makeHeaders(deps, delivery);
  failpoint("webhook.before_post");
  const outcome: PostOutcome =
    headers === undefined
      ? { kind: "failed", fault: "secret" }
      : await deps.poster.post({ url: delivery.url, headers, body: delivery.payload, signal });
  failpoint("webhook.after_post");
  return { ...readOutcome(outcome, deps.realNow()), durationMs: elapsedMs(startedAt) };
}

/** Undefined when the secret does not open: nothing is ever sent unsigned. */
function makeHeaders(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
): Record<string, string> | undefined {
  const secret = openSecret(deps.secrets, delivery);
  if (secret === undefined) return undefined;
  const signatures = signatureHeaders(secret, {
    webhookId: delivery.id,
    timestamp: Math.floor(deps.realNow().getTime() / 1000),
    eventType: delivery.eventType,
    orderId: delivery.orderId,
    body: delivery.payload,
  });
  return {
    ...signatures,
    "X-Webhook-Attempt": String(delivery.attempt),
    "content-type": "application/json",
    "user-agent": USER_AGENT,
  };
}

function openSecret(secrets: SecretBox, delivery: ClaimedDelivery): string | undefined {
  try {
    return secrets.open(delivery.secretSealed, webhookSecretPlace(delivery));
  } catch {
    return undefined;
  }
}

function readOutcome(outcome: PostOutcome, now: Date): Omit<AttemptResult, "durationMs"> {
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
