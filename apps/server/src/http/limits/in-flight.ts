import type { FastifyInstance, FastifyReply } from "fastify";
import { everyTurn, type Turns } from "../../deadline.ts";
import { Refusal } from "../../flows/refusal.ts";

export interface InFlightLimits {
  /** Requests that one process works on at the same time. */
  readonly requestsMax: number;
  /** The time in which a request is answered. */
  readonly deadlineMs: number;
}

export const IN_FLIGHT_LIMITS: InFlightLimits = { requestsMax: 512, deadlineMs: 15_000 };

/** A request is refused at the first check after its deadline. One timer for all costs less than a timer for each. */
const CHECK_MS = 500;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Requests of this route are not bounded: probes, and streams that stay open. */
    readonly isUnbounded?: boolean;
  }
}

/**
 * Bounds the requests that the process works on. One more is refused before its body is read, so that a caller learns
 * soon that the service is overloaded. A request without an answer at its deadline is refused too. Its work goes on,
 * so its effect is unknown to the caller, as after a broken connection.
 */
export function boundRequests(app: FastifyInstance, limits: InFlightLimits): void {
  /** The time of the checks at which each request arrived. */
  const arrivals = new Map<FastifyReply, number>();
  let checks: Turns | undefined;
  const passedMs = (): number => checks?.passedMs() ?? 0;
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config?.isUnbounded === true) return done();
    if (arrivals.size >= limits.requestsMax) return done(new Refusal("SERVICE_UNAVAILABLE"));
    arrivals.set(reply, passedMs());
    // Emitted after the answer, and when the client leaves before it.
    reply.raw.once("close", () => arrivals.delete(reply));
    done();
  });
  const refuseLateOnes = (): void => {
    const lastLateMs = passedMs() - limits.deadlineMs;
    // A map keeps the order in which its entries were added.
    for (const [reply, arrivedAt] of arrivals) {
      if (arrivedAt > lastLateMs) return;
      arrivals.delete(reply);
      if (!reply.sent && !reply.raw.headersSent) reply.send(new Refusal("SERVICE_UNAVAILABLE"));
    }
  };
  app.addHook("onReady", async () => {
    checks = everyTurn(CHECK_MS, refuseLateOnes).unref();
  });
  app.addHook("onClose", async () => checks?.stop());
}
