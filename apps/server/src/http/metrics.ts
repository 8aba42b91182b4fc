import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../flows/deps.ts";
import type { Refusal } from "../flows/refusal.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The answer lasts as long as its client stays. */
    readonly isStream?: boolean;
  }
}

/** Returns the pattern of the route, which has no values of the request. */
const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? "unknown";

/** Counts requests, those in flight, and their time. */
export function countRequests(app: FastifyInstance, { metrics }: Pick<Deps, "metrics">): void {
  app.addHook("onRequest", (_request, _reply, done) => {
    metrics.requestsInFlight.inc();
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method } = request;
    const route = routeOf(request);
    metrics.requestsInFlight.dec();
    metrics.requests.inc({ method, route, code: String(reply.statusCode) });
    if (!request.routeOptions.config.isStream) {
      metrics.requestSeconds.observe({ method, route }, reply.elapsedTime / 1_000);
    }
    done();
  });
}

export function countRefusal(
  { metrics }: Pick<Deps, "metrics">,
  request: FastifyRequest,
  { code }: Refusal,
): void {
  metrics.refusals.inc({ route: routeOf(request), code });
}
