import type { FastifyInstance } from "fastify";
import { makeReadinessCheck } from "../../flows/check-readiness.ts";
import type { Deps } from "../../flows/deps.ts";
import { registerDocuments } from "../docs/routes.ts";
import { registerPinnedScript } from "../script/pinned.ts";
import { registerCheckout } from "./checkout.ts";

/**
 * Registers the routes outside the contract's table: scripts by version, checkout, documents,
 * health.
 */
export function registerPages(app: FastifyInstance, deps: Deps, version: string): void {
  registerPinnedScript(app, deps, version);
  registerCheckout(app, deps);
  registerDocuments(app, deps);
  registerHealth(app, deps);
  app.get("/", (_request, reply) => reply.redirect("/docs"));
}

function registerHealth(app: FastifyInstance, deps: Deps): void {
  const { alive, ready } = {
    // It answers without work, and a probe that is refused restarts the service.
    alive: { logLevel: "silent", config: { addressLimit: "none", isUnbounded: true } },
    // Other requests of the probe's address must not make the service look down.
    ready: { logLevel: "silent", config: { addressLimit: "own", isUnbounded: true } },
  } as const;
  const checkReadiness = makeReadinessCheck(deps);
  app.get("/healthz", alive, (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", ready, async (_request, reply) => {
    const { isReady, ...found } = await checkReadiness();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ok" : "failing", ...found });
  });
}
