import type { FastifyInstance } from "fastify";
import { CALLBACK_PATH } from "../../domain/ports/identity-provider.ts";
import { Refusal } from "../../flows/refusal.ts";
import { readFolder, sendRepresentation } from "../representation.ts";

/** The build of the console. The relative path is the same from src and from dist. */
const CONSOLE = new URL("../../../../console/dist/", import.meta.url);
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Allows the console's own files and calls, no inline code, no form and no frame. */
const PAGE_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy":
    "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()",
} as const;

/**
 * Registers the console's page and its files. Its screens are behind #, so one page is enough. An identity provider
 * returns the browser to an address of its own, because it puts its answer into the query.
 */
export function registerConsolePages(app: FastifyInstance): void {
  const files = readFolder(CONSOLE);
  for (const path of ["/", CALLBACK_PATH]) {
    app.get(path, (request, reply) => {
      const page = files.get("index.html");
      if (!page) throw new Error("the console is not built: run npm run build");
      return sendRepresentation({ request, reply }, page, PAGE_HEADERS);
    });
  }
  app.get("/assets/*", (request, reply) => {
    const file = files.get(`assets/${(request.params as { "*": string })["*"]}`);
    if (!file) throw new Refusal("NOT_FOUND");
    return sendRepresentation({ request, reply }, file, { "cache-control": IMMUTABLE });
  });
  app.get("/healthz", { logLevel: "silent" }, (_request, reply) => reply.send({ status: "ok" }));
}
