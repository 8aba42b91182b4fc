import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { everyTurn, type Turns } from "../../deadline.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { ArrivingBody, WaitingRequests } from "./arriving-bodies.ts";

export interface InFlightLimits {
  /** Requests that one process works on at the same time. A request whose body still arrives does not count. */
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

/** A request that is not answered yet. */
interface Place {
  readonly reply: FastifyReply;
  /** The time of the checks at which the request arrived. */
  readonly arrivedAt: number;
  /** The body that the request waits for. Meanwhile there is no work, and the request does not count. */
  body: ArrivingBody | undefined;
}

/**
 * Bounds the requests that the process works on. One more is refused before its body is read, so that a caller learns
 * soon that the service is overloaded. A request without an answer at its deadline is refused too. Its work goes on,
 * so its effect is unknown to the caller, as after a broken connection.
 */
export function boundRequests(app: FastifyInstance, limits: InFlightLimits): WaitingRequests {
  const places = new Map<FastifyRequest, Place>();
  let working = 0;
  let checks: Turns | undefined;
  const passedMs = (): number => checks?.passedMs() ?? 0;
  const leave = (request: FastifyRequest, { body }: Place): void => {
    if (places.delete(request) && body === undefined) working -= 1;
  };
  const enter = (): void => {
    if (working >= limits.requestsMax) throw new Refusal("SERVICE_UNAVAILABLE");
    working += 1;
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config?.isUnbounded === true) return done();
    enter();
    const place: Place = { reply, arrivedAt: passedMs(), body: undefined };
    places.set(request, place);
    // Emitted after the answer, and when the client leaves before it.
    reply.raw.once("close", () => leave(request, place));
    done();
  });
  const refuseLateOnes = (): void => {
    const lastLateMs = passedMs() - limits.deadlineMs;
    // A map keeps the order in which its entries were added.
    for (const [request, place] of places) {
      if (place.arrivedAt > lastLateMs) return;
      const { reply, body } = place;
      leave(request, place);
      if (body) body.refuse(new Refusal("SERVICE_UNAVAILABLE"));
      else if (!reply.sent && !reply.raw.headersSent)
        reply.send(new Refusal("SERVICE_UNAVAILABLE"));
    }
  };
  app.addHook("onReady", async () => {
    checks = everyTurn(CHECK_MS, refuseLateOnes).unref();
  });
  app.addHook("onClose", async () => checks?.stop());
  return {
    pause(request, body) {
      const place = places.get(request);
      if (!place) return;
      place.body = body;
      working -= 1;
    },
    resume(request) {
      const place = places.get(request);
      if (!place?.body) return;
      enter();
      place.body = undefined;
    },
  };
}
