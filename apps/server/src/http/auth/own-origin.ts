import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";

const CHECKOUT_PATHS = "/v1/checkout/";
const ALLOW_ORIGIN = "access-control-allow-origin";
/** The headers of the checkout's calls that a browser asks for before a call from another name of the service. */
const CHECKOUT_HEADERS = "authorization, content-type, idempotency-key, x-client-id";
const PREFLIGHT_LIFETIME_SECONDS = 600;

/** Whether the request names the checkout's own origin, or none, as a server-side client does. */
export function isOwnOrigin(
  deps: Pick<Deps, "environment" | "publicUrl">,
  { origin, host }: FastifyRequest["headers"],
): boolean {
  if (origin === undefined || origin === new URL(deps.publicUrl).origin) return true;
  // A sandbox is opened by several names: localhost, 127.0.0.1, a tunnel.
  const isOwnHost = origin === `http://${host}` || origin === `https://${host}`;
  return deps.environment !== "prod" && isOwnHost;
}

/**
 * Lets pages of the checkout's own origin read the answers of the checkout's endpoints, errors included
 * (completion, section 7). Pages of other origins get no such header.
 */
export function allowOwnOrigin(
  app: FastifyInstance,
  deps: Pick<Deps, "environment" | "publicUrl">,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.url?.startsWith(CHECKOUT_PATHS)) {
      const { origin } = request.headers;
      reply.header("vary", "Origin");
      if (origin !== undefined && isOwnOrigin(deps, request.headers)) {
        reply.header(ALLOW_ORIGIN, origin);
      }
    }
    done();
  });
}

/** Returns whether the request is a CORS preflight from a page of the checkout's own origin. */
export const isOwnPreflight = ({ method, headers }: FastifyRequest, reply: FastifyReply): boolean =>
  method === "OPTIONS" &&
  headers["access-control-request-method"] !== undefined &&
  reply.hasHeader(ALLOW_ORIGIN);

/** Answers the preflight with the methods of its path. */
export function answerPreflight(reply: FastifyReply, methods: readonly string[]): void {
  reply
    .code(204)
    .headers({
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": CHECKOUT_HEADERS,
      "access-control-max-age": PREFLIGHT_LIFETIME_SECONDS,
    })
    .send();
}
