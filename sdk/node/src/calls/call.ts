import type { ExchangeError } from "../errors.ts";
import { readMaxRetries, readTimeoutMs, type Settings } from "../options.ts";
import { type Outcome, readOutcome } from "./answer.ts";
import { attempt as sendOnce } from "./attempt.ts";
import { backoffMs, RETRY_AFTER_MS_MAX } from "./backoff.ts";
import type { Call, CallRequest } from "./operation.ts";
import { type WireRequest, writeRequest } from "./request.ts";

/** Sources of time and randomness. Tests replace them. */
export interface World {
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly randomKey: () => string;
  /** Rejects with the signal's reason when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Returns a function that sends a request until it succeeds, fails permanently or has no attempts
 * left. Every attempt of a POST carries the same Idempotency-Key, so it runs once. All other
 * methods of this service are idempotent.
 */
export function makeCall(settings: Settings, world: World): Call {
  return async (request) => {
    const wire = writeRequest(request, world.randomKey);
    const triesMax = 1 + readMaxRetries(request.options.maxRetries ?? settings.maxRetries);
    let isUnknown = false;
    for (let attempt = 1; ; attempt++) {
      const tried = await tryOnce({ settings, world, request, wire, attempt });
      const waitMs =
        attempt < triesMax && !tried.outcome.ok
          ? waitBefore(tried.outcome.error, { attempt, isUnknown, random: world.random() })
          : undefined;
      report(settings, request, { ...tried, attempt, waitMs });
      if (tried.outcome.ok) return tried.outcome.body;
      const { error } = tried.outcome;
      // An earlier attempt without an answer has already deleted it.
      if (isUnknown && wire.method === "DELETE" && error.code === "NOT_FOUND") return undefined;
      if (waitMs === undefined) throw error;
      isUnknown ||= error.status === undefined || error.status >= 500;
      await world.sleep(waitMs, request.options.signal);
    }
  };
}

interface Try {
  readonly settings: Settings;
  readonly world: World;
  readonly request: CallRequest;
  readonly wire: WireRequest;
  readonly attempt: number;
}

interface Tried {
  readonly outcome: Outcome;
  readonly durationMs: number;
}

async function tryOnce({ settings, world, request, wire, attempt }: Try): Promise<Tried> {
  const { operation, options } = request;
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? settings.timeoutMs);
  const startedMs = world.nowMs();
  const came = await sendOnce(settings, wire, { timeoutMs, signal: options.signal });
  const nowMs = world.nowMs();
  const { idempotencyKey } = wire;
  const facts = { operation, attempts: attempt, idempotencyKey, timeoutMs, nowMs };
  return { outcome: readOutcome(came, facts), durationMs: nowMs - startedMs };
}

interface Situation {
  readonly attempt: number;
  /** The outcome of an earlier attempt is unknown: the service may still be working on it. */
  readonly isUnknown: boolean;
  readonly random: number;
}

/** Returns the milliseconds until the next attempt, or undefined if a retry is useless. */
function waitBefore(
  error: ExchangeError,
  { attempt, isUnknown, random }: Situation,
): number | undefined {
  // Our own earlier attempt still holds the key and will finish soon.
  const isOurs = isUnknown && error.code === "IDEMPOTENCY_CONFLICT";
  if (!error.retryable && !isOurs) return undefined;
  const requestedMs = error.retryAfterMs ?? 0;
  if (requestedMs > RETRY_AFTER_MS_MAX) return undefined;
  return Math.max(requestedMs, backoffMs(attempt, random));
}

function report(
  settings: Settings,
  { operation }: CallRequest,
  tried: Tried & { readonly attempt: number; readonly waitMs: number | undefined },
): void {
  const { outcome, attempt, durationMs, waitMs } = tried;
  const { status, requestId } = outcome.ok ? outcome : outcome.error;
  settings.onAttempt({
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    attempt,
    status,
    requestId,
    code: outcome.ok ? undefined : outcome.error.code,
    durationMs,
    retryInMs: waitMs,
  });
}
