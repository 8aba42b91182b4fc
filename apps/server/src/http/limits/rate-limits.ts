import type { Endpoint } from "@exchange/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { RateCounters } from "../../domain/ports/rate-counters.ts";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { flushRegularly } from "../flush-regularly.ts";
import type { RateLimits } from "../settings.ts";
import { type FailureLimiter, makeFailureLimiter } from "./failure-limiter.ts";
import { makeRateLimiter, type RateLimiter, type RateUse, steadyMs } from "./rate-limiter.ts";

export type RateClass = "reads" | "quotes" | "writes" | "tokens" | "browser" | "anonymous";

export interface RateLimiters extends Readonly<Record<RateClass, RateLimiter>> {
  readonly failures: FailureLimiter;
}

const MINUTE_MS = 60_000;
/** The interval at which a process exchanges its counts with the others. */
const SHARE_MS = 500;

/**
 * Makes the limiters of one process. Failed credentials are counted in the database; all other requests
 * are counted in memory and shared while the server runs
 * (docs/decisions/0049-hold-rate-limits-over-all-processes.md).
 */
export function makeRateLimiters(
  app: FastifyInstance,
  deps: Pick<Deps, "log"> & { readonly rateCounters: RateCounters },
  limits: RateLimits,
): RateLimiters {
  const nowMs = steadyMs;
  const perMinute = (limit: number) => makeRateLimiter({ limit, windowMs: MINUTE_MS, nowMs });
  const counted = {
    reads: perMinute(limits.readsPerMinute),
    quotes: perMinute(limits.quotesPerMinute),
    writes: perMinute(limits.writesPerMinute),
    tokens: perMinute(limits.tokensPerMinute),
    browser: perMinute(limits.browserCallsPerMinute),
    anonymous: perMinute(limits.anonymousCallsPerMinute),
  };
  flushRegularly(app, { flush: makeShareCounts(deps, counted) }, SHARE_MS);
  const limit = limits.failedCredentialsPerFiveMinutes;
  const failures = makeFailureLimiter(deps, { limit, windowMs: 5 * MINUTE_MS, nowMs });
  return { ...counted, failures };
}

/**
 * Returns a function that adds this process's counts to those of all processes and adopts the sums, one statement at a
 * time. Without new counts it sends none.
 */
function makeShareCounts(
  deps: Pick<Deps, "log"> & { readonly rateCounters: RateCounters },
  limiters: Readonly<Record<string, RateLimiter>>,
): () => Promise<void> {
  let current: Promise<void> | undefined;
  const exchange = async (): Promise<void> => {
    const counts = Object.entries(limiters).flatMap(([limit, limiter]) =>
      limiter.listUnshared().map((count) => ({ ...count, limit, limiter })),
    );
    if (counts.length === 0) return;
    try {
      const windows = await deps.rateCounters.add(counts);
      for (const [index, { limiter, ...count }] of counts.entries()) {
        const window = windows[index];
        if (window) limiter.adopt(count, window);
      }
    } catch (error) {
      // The counts stay unshared: this process holds its own limits and shares them later.
      deps.log.warn({ err: error }, "rate limits were not shared with the other processes");
    }
  };
  return () => {
    current ??= exchange().finally(() => {
      current = undefined;
    });
    return current;
  };
}

/** Returns the limit that a merchant's call counts against. Many quotes of a shop's pages never refuse its refunds. */
export function merchantRateClass({ method, tag }: Endpoint): RateClass {
  if (method === "GET") return "reads";
  if (tag === "Tokens") return "tokens";
  return tag === "Quotes" ? "quotes" : "writes";
}

export function showUse(use: RateUse, reply: FastifyReply): void {
  reply.header("ratelimit-limit", use.limit);
  reply.header("ratelimit-remaining", use.remaining);
  reply.header("ratelimit-reset", use.resetSeconds);
}

/**
 * Writes the state of the limit into the headers. Refuses RATE_LIMITED, with Retry-After, over it.
 */
export function spend(use: RateUse, reply: FastifyReply): void {
  showUse(use, reply);
  if (use.allowed) return;
  reply.header("retry-after", use.resetSeconds);
  throw new Refusal("RATE_LIMITED");
}
