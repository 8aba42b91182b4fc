import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerNetwork } from "../domain/merchants/networks.ts";
import { addressKind } from "../domain/webhooks/addresses.ts";
import type { Deps } from "../flows/deps.ts";
import { type Refusal, statusOf } from "../flows/refusal.ts";
import { flushRegularly } from "./flush-regularly.ts";
import { makeRateLimiter, steadyMs } from "./limits/rate-limiter.ts";

/**
 * One line for each event that an attack would cause. The lines have no credentials and no text that a
 * caller chose freely, and their number is bounded.
 */
export interface SecurityLog {
  /** Logs a refusal with the status 401, 403 or 429. Any other one is ignored. */
  refused(request: FastifyRequest, refusal: Refusal): void;
  /** Logs that a key was used from an address for the first time. An address of this machine says nothing. */
  newAddress(use: { readonly keyId: string; readonly address: string }): void;
}

type EventName = "unauthorized" | "forbidden" | "rate_limited" | "key_used_from_new_address";

const EVENTS: Readonly<Record<number, EventName>> = {
  401: "unauthorized",
  403: "forbidden",
  429: "rate_limited",
};

const WINDOW_MS = 60_000;
const LINES_PER_ADDRESS = 10;
const LINES_MAX = 200;
/** A client id in a header is logged only in the form in which the service creates client ids. */
const CLIENT_ID = /^client_(dev|staging|prod)_[A-Z2-7]{16}$/;

/**
 * Makes the log of one process. Each minute it writes at most ten lines about an address and 200 in all,
 * and one more line with the number of events beyond that.
 */
export function makeSecurityLog(
  app: FastifyInstance,
  { log, metrics }: Pick<Deps, "log" | "metrics">,
): SecurityLog {
  const window = { windowMs: WINDOW_MS, nowMs: steadyMs };
  const perAddress = makeRateLimiter({ limit: LINES_PER_ADDRESS, ...window });
  const all = makeRateLimiter({ limit: LINES_MAX, ...window });
  const suppressed = new Map<EventName, number>();
  const admits = (event: EventName, address: string): boolean => {
    metrics.securityEvents.inc({ event });
    if (perAddress.take(address).allowed && all.take("all").allowed) return true;
    suppressed.set(event, (suppressed.get(event) ?? 0) + 1);
    return false;
  };
  const flush = async (): Promise<void> => {
    if (suppressed.size === 0) return;
    log.warn({ security: "suppressed", events: Object.fromEntries(suppressed) }, "security events");
    suppressed.clear();
  };
  flushRegularly(app, { flush }, WINDOW_MS);
  return {
    refused(request, refusal) {
      const status = statusOf(refusal.code);
      const security = EVENTS[status];
      if (!security || !admits(security, callerNetwork(request.ip))) return;
      const { method, routeOptions, ip: address } = request;
      const route = routeOptions.url ?? "unknown";
      const { code, logged } = refusal;
      const entry = {
        security,
        status,
        code,
        method,
        route,
        address,
        ...callerOf(request),
        ...logged,
      };
      request.log.warn(entry, "security event");
    },
    newAddress({ keyId, address }) {
      if (isThisMachine(address)) return;
      const security = "key_used_from_new_address";
      if (admits(security, address)) log.warn({ security, keyId, address }, "security event");
    },
  };
}

/** The network of `::1` is `::/64`, and nothing else is in it. */
const isThisMachine = (network: string): boolean =>
  network === "::/64" || addressKind(network) === "loopback";

function callerOf({ caller, headers }: FastifyRequest): Readonly<Record<string, unknown>> {
  switch (caller.kind) {
    case "merchant":
      return { merchantId: caller.merchant.id, keyId: caller.keyId };
    case "browser":
      return { merchantId: caller.merchant.id, jti: caller.tokenJti };
    case "anybody": {
      const claimed = headers["x-client-id"];
      return typeof claimed === "string" && CLIENT_ID.test(claimed)
        ? { claimedClientId: claimed }
        : {};
    }
  }
}
