import type { Endpoint } from "@exchange/contract";
import type { FastifyReply } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import type { RateLimits } from "../settings.ts";
import { makeRateLimiter, type RateLimiter, type RateUse } from "./rate-limiter.ts";

export type RateClass = "reads" | "quotes" | "tokens" | "browser" | "anonymous" | "failures";

export type RateLimiters = Readonly<Record<RateClass, RateLimiter>>;

const MINUTE_MS = 60_000;

export function makeRateLimiters(limits: RateLimits, nowMs: () => number): RateLimiters {
  const perMinute = (limit: number) => makeRateLimiter({ limit, windowMs: MINUTE_MS, nowMs });
  return {
    reads: perMinute(limits.readsPerMinute),
    quotes: perMinute(limits.quotesPerMinute),
    tokens: perMinute(limits.tokensPerMinute),
    browser: perMinute(limits.browserCallsPerMinute),
    anonymous: perMinute(limits.anonymousCallsPerMinute),
    failures: makeRateLimiter({
      limit: limits.failedCredentialsPerFiveMinutes,
      windowMs: 5 * MINUTE_MS,
      nowMs,
    }),
  };
}

/** Which limit a merchant's call counts against. */
export function merchantRateClass(endpoint: Endpoint): RateClass {
  if (endpoint.method === "GET") return "reads";
  return endpoint.tag === "Tokens" ? "tokens" : "quotes";
}

/** Tells the caller what is left; throws RATE_LIMITED with Retry-After when nothing is. */
export function spend(use: RateUse, reply: FastifyReply): void {
  reply.header("ratelimit-limit", use.limit);
  reply.header("ratelimit-remaining", use.remaining);
  reply.header("ratelimit-reset", use.resetSeconds);
  if (use.allowed) return;
  reply.header("retry-after", use.resetSeconds);
  throw new Refusal("RATE_LIMITED");
}
