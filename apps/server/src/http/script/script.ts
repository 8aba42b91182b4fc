import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { renderScript, type ScriptOptions } from "@exchange/browser";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { JSON_TYPE } from "../answer-cache.ts";
import {
  makeRepresentation,
  type Representation,
  sendRepresentation,
} from "../assets/representation.ts";
import { type RateLimiters, spend } from "../limits/rate-limits.ts";
import { BadScriptRequest, readScriptOptions } from "./options.ts";

const TEMPLATE = "@exchange/browser/exchange.template.js";
const SCRIPT_TYPE = "application/javascript; charset=utf-8";
const SCRIPTS_MAX = 500;

const HEADERS = {
  "cache-control": "public, max-age=300, stale-while-revalidate=3600",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "timing-allow-origin": "*",
} as const;

/**
 * `GET /v1/sdk/exchange.js`. It is loaded by a script tag, so it is the same for every visitor and
 * holds nothing secret. The interface documents 200, and 500 with a `message`, so a wrong parameter
 * is a 500 too; its message says what to correct.
 */
export function registerScript(
  app: FastifyInstance,
  parts: { readonly deps: Deps; readonly limiters: RateLimiters; readonly version: string },
): void {
  const render = makeRenderer(parts.deps, parts.version);
  app.get("/v1/sdk/exchange.js", {
    onRequest: (request, reply, done) => {
      spend(parts.limiters.anonymous.take(request.ip), reply);
      done();
    },
    handler: (request, reply) => {
      const options = readScriptOptions(request.query, parts.deps.environment);
      return sendRepresentation({ request, reply }, render(options), HEADERS);
    },
    errorHandler: (error, request, reply) => {
      if (reply.statusCode === 429 || reply.hasHeader("retry-after")) throw error;
      const message =
        error instanceof BadScriptRequest
          ? error.message
          : "The script could not be made. Try again shortly.";
      if (!(error instanceof BadScriptRequest)) {
        parts.deps.log.error({ err: error, requestId: request.id }, "the script failed");
      }
      return reply
        .code(500)
        .headers({ "content-type": JSON_TYPE, "cache-control": "no-store" })
        .send({ message });
    },
  });
}

/** Scripts are kept by their text, so that each is compressed once. */
function makeRenderer(deps: Deps, version: string): (options: ScriptOptions) => Representation {
  const template = readFileSync(createRequire(import.meta.url).resolve(TEMPLATE), "utf8");
  const kept = new Map<string, Representation>();
  return (options) => {
    const merchant = deps.directory().merchant(options.clientId);
    const text = renderScript(template, {
      sdkVersion: version,
      environment: deps.environment,
      checkoutUrl: `${deps.publicUrl}/checkout`,
      // A client id nobody has gets a script of the same shape: it tells nothing about merchants.
      merchantName: merchant?.name ?? "",
      options,
      defaults: merchant?.settings.defaults ?? {},
    });
    const known = kept.get(text);
    if (known) return known;
    const made = makeRepresentation(Buffer.from(text), SCRIPT_TYPE);
    if (kept.size >= SCRIPTS_MAX) kept.clear();
    kept.set(text, made);
    return made;
  };
}
