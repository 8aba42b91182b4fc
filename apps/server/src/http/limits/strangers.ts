import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { holderOf } from "./holder.ts";
import { type RateLimiters, showUse, spend } from "./rate-limits.ts";

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
