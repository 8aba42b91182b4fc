import type { FastifyInstance } from "fastify";
import { Refusal } from "../flows/refusal.ts";

const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"] as const;

/**
 * An unknown path is NOT_FOUND. So is a wrong method on a known one, since the contract has no 405;
 * its answer names the right method, in `Allow` too. Call before the first route is made.
 */
export function answerUnknownRoutes(app: FastifyInstance): {
  /** Call after the last route is made. */
  readonly refuseOtherMethods: () => void;
} {
  const known = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    known.set(url, methods);
  });
  app.setNotFoundHandler(() => {
    throw new Refusal("NOT_FOUND");
  });
  return {
    refuseOtherMethods: () => {
      for (const [url, methods] of [...known]) refuseMethods(app, url, [...methods]);
    },
  };
}

function refuseMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = METHODS.filter((method) => !allowed.includes(method));
  const shown = allowed.filter((method) => method !== "HEAD").join(" or ");
  app.route({
    method: [...others],
    url,
    // Before the body is read: what it holds makes no difference.
    onRequest: (_request, reply, done) => {
      reply.header("allow", allowed.join(", "));
      done(
        new Refusal("NOT_FOUND", {
          message: `There is nothing here for this method. Use ${shown}.`,
        }),
      );
    },
    handler: () => {},
  });
}
