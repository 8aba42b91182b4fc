import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { Refusal } from "../flows/refusal.ts";
import { answerPreflight, isOwnPreflight } from "./auth/own-origin.ts";

const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"] as const;

/**
 * An unknown path is NOT_FOUND. So is a wrong method on a known path, since the contract has no 405;
 * that answer names the right method, in `Allow` too (docs/decisions/0007-answer-404-to-a-wrong-method.md).
 * A browser that asks on behalf of the checkout's own page gets its answer.
 * Call it before the first route is made, and register the returned plugin after the last one.
 */
export function answerUnknownRoutes(app: FastifyInstance): FastifyPluginAsync {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  // Refused before the body is read, because its content makes no difference.
  app.addHook("onRequest", (request, _reply, done) =>
    request.is404 ? done(new Refusal("NOT_FOUND")) : done(),
  );
  app.setNotFoundHandler(() => {});
  return async (scope) => {
    for (const [url, methods] of [...methodsByUrl]) refuseMethods(scope, url, [...methods]);
  };
}

function refuseMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = METHODS.filter((method) => !allowed.includes(method));
  const named = allowed.filter((method) => method !== "HEAD").join(" or ");
  app.route({
    method: [...others],
    url,
    // Refused before the body is read, because its content makes no difference.
    onRequest: (request, reply, done) => {
      reply.header("allow", allowed.join(", "));
      if (isOwnPreflight(request, reply)) return answerPreflight(reply, allowed);
      done(
        new Refusal("NOT_FOUND", {
          message: `This path does not support this method. Use ${named}.`,
        }),
      );
    },
    handler: () => {},
  });
}
