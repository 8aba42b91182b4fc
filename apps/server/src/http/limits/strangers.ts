import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { type RateLimiters, showUse, spend } from "./rate-limits.ts";

/** A provider gives each customer at least this much of IPv6 (RFC 6177), so one address is not a limit. */
const IPV6_PREFIX_BITS = 64;

/** Some proxies add the port of the caller, which each connection changes. */
const WITH_PORT = /^(?:([\d.]+)|\[(.+)\])(?::\d+)?$/;

/**
 * Returns the part of an address that one caller holds: the whole of IPv4, and the first 64 bits of
 * IPv6. An IPv4 address inside an IPv6 one counts as itself.
 */
export function holderOf(caller: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(caller) ?? [];
  const address = ipv4 ?? ipv6 ?? caller;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, IPV6_PREFIX_BITS / 16)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * `own` counts the route apart from the others of an address, and `none` does not count it. Absent,
     * a route without a caller's credentials counts against the limit of its address.
     */
    readonly addressLimit?: "own" | "none";
  }
}

/**
 * Counts each request that needs no credentials against its address, before any work for it. Endpoints
 * of merchants and browsers have limits of their own. Every other route is counted, without a word in
 * its registration.
 */
export function limitStrangers(app: FastifyInstance, limiters: RateLimiters): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const caller = config?.endpoint?.caller ?? "anybody";
    if (caller === "anybody" && config?.addressLimit !== "none") {
      const holder = holderOf(request.ip);
      const key = config?.addressLimit === "own" ? `${holder} ${url}` : holder;
      spend(limiters.anonymous.take(key), reply);
    }
    done();
  });
}

/**
 * Writes the limit of the caller's address into an answer that counted against no limit, such as a
 * page or a refusal before the count. Every answer has these headers.
 */
export function showLimit(
  limiters: RateLimiters,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (reply.hasHeader("ratelimit-limit")) return;
  showUse(limiters.anonymous.look(holderOf(request.ip)), reply);
}
