import type { InFlightLimits } from "./limits/in-flight.ts";

/** The requests that have a line in the log. */
export const ACCESS_LOGS = ["off", "errors", "all"] as const;
export type AccessLogChoice = (typeof ACCESS_LOGS)[number];

/** Requests allowed in a window. `start/listen.ts` passes them from the configuration. */
export interface RateLimits {
  /** Merchant reads, for each client id. */
  readonly readsPerMinute: number;
  readonly quotesPerMinute: number;
  /** A merchant's other calls that change something, such as refunds. */
  readonly writesPerMinute: number;
  readonly tokensPerMinute: number;
  /** Every call made with one public token. */
  readonly browserCallsPerMinute: number;
  /** Calls that need no credentials, for each address. */
  readonly anonymousCallsPerMinute: number;
  /** Wrong credentials or tokens, for each address. Valid ones are not held back by them. */
  readonly failedCredentialsPerFiveMinutes: number;
}

export const multiplyRateLimits = (limits: RateLimits, factor: number): RateLimits => ({
  readsPerMinute: limits.readsPerMinute * factor,
  quotesPerMinute: limits.quotesPerMinute * factor,
  writesPerMinute: limits.writesPerMinute * factor,
  tokensPerMinute: limits.tokensPerMinute * factor,
  browserCallsPerMinute: limits.browserCallsPerMinute * factor,
  anonymousCallsPerMinute: limits.anonymousCallsPerMinute * factor,
  failedCredentialsPerFiveMinutes: limits.failedCredentialsPerFiveMinutes * factor,
});

/** Settings of the HTTP server besides `Deps`. */
export interface HttpSettings {
  /** All by default. */
  readonly accessLog?: AccessLogChoice;
  readonly rateLimits: RateLimits;
  /** Version of the software, shown in the script and the document. */
  readonly version: string;
  readonly inFlight?: InFlightLimits;
  /** 8,192 by default. */
  readonly connectionsMax?: number;
  /** Bytes of all bodies that arrive at the same time. 32 MB by default. */
  readonly arrivingBytesMax?: number;
  /** Addresses of proxies whose X-Forwarded-For is trusted. None by default. */
  readonly trustedProxies?: readonly string[];
}
