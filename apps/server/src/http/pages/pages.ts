import { buildOpenApiDocument } from "@exchange/contract";
import type { FastifyInstance } from "fastify";
import { makeReadinessCheck } from "../../flows/check-readiness.ts";
import type { Deps } from "../../flows/deps.ts";
import { renderDocs } from "../docs/render.ts";
import { addCodeSamples } from "../docs/samples.ts";
import { makeRepresentation, readFolder, sendRepresentation } from "../representation.ts";
import { registerPinnedScript } from "../script/pinned.ts";
import { JSON_TYPE } from "../wire.ts";
import { registerCheckout } from "./checkout.ts";

const REVALIDATE = { "cache-control": "public, max-age=0, must-revalidate" } as const;

/**
 * The style and the script of the reference. The relative path is the same from src and from dist.
 */
const DOCS_FILES = new URL("../../../public/docs/", import.meta.url);

const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

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

/** Returns the OpenAPI document and its page. */
function makeDocuments({ publicUrl, environment, cardProcessor }: Deps) {
  const takesCards = cardProcessor?.tokens !== undefined;
  const document = addCodeSamples(buildOpenApiDocument({ publicUrl, environment, takesCards }));
  return {
    json: makeRepresentation(JSON.stringify(document), JSON_TYPE),
    page: makeRepresentation(renderDocs(document), "text/html; charset=utf-8"),
  };
}

function registerDocuments(app: FastifyInstance, deps: Deps): void {
  // Made with the first request: few processes are asked for them, and every one would start later.
  let made: ReturnType<typeof makeDocuments> | undefined;
  const documents = () => (made ??= makeDocuments(deps));
  const policy = { ...REVALIDATE, "content-security-policy": DOCS_POLICY };
  app.get("/v1/openapi.json", (request, reply) =>
    sendRepresentation({ request, reply }, documents().json, REVALIDATE),
  );
  app.get("/docs", (request, reply) =>
    sendRepresentation({ request, reply }, documents().page, policy),
  );
  for (const [name, file] of readFolder(DOCS_FILES)) {
    app.get(`/docs/${name}`, (request, reply) =>
      sendRepresentation({ request, reply }, file, REVALIDATE),
    );
  }
}

function registerHealth(app: FastifyInstance, deps: Deps): void {
  const { alive, ready } = {
    // It answers without work, and a probe that is refused restarts the service.
    alive: { logLevel: "silent", config: { addressLimit: "none" } },
    // Other requests of the probe's address must not make the service look down.
    ready: { logLevel: "silent", config: { addressLimit: "own" } },
  } as const;
  const checkReadiness = makeReadinessCheck(deps);
  app.get("/healthz", alive, (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", ready, async (_request, reply) => {
    const { isReady, ...found } = await checkReadiness();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ok" : "failing", ...found });
  });
}
