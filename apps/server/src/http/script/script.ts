import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { renderScript, type ScriptConfig } from "@exchange/browser";
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
export const SCRIPT_TYPE = "application/javascript; charset=utf-8";
const SCRIPTS_MAX = 500;

export const SCRIPT_HEADERS = {
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
  parts: { readonly deps: Deps; readonly limiters: RateLimiters; readonly scripts: Scripts },
): void {
  app.get("/v1/sdk/exchange.js", {
    onRequest: (request, reply, done) => {
      spend(parts.limiters.anonymous.take(request.ip), reply);
      done();
    },
    handler: (request, reply) => {
      const script = parts.scripts.make(request.raw.url ?? "", request.query);
      return sendRepresentation({ request, reply }, script, SCRIPT_HEADERS);
    },
    errorHandler: (error, request, reply) => {
      if (reply.hasHeader("retry-after")) throw error;
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

/** Finished scripts, kept by the address that asked for them until a merchant changes. */
export interface Scripts {
  readonly version: string;
  /** The script for every merchant, which `configure` tells whose page it is on. */
  readonly pinned: string;
  /** Throws `BadScriptRequest`. */
  make(url: string, query: unknown): Representation;
}

export function makeScripts(deps: Deps, version: string): Scripts {
  const template = readFileSync(createRequire(import.meta.url).resolve(TEMPLATE), "utf8");
  const kept = new Map<string, Representation>();
  let directory: unknown;
  const known = (url: string): Representation | undefined => {
    if (deps.directory() !== directory) kept.clear();
    directory = deps.directory();
    return kept.get(url);
  };
  const render = (options: ScriptConfig["options"]): string =>
    renderScript(template, scriptConfig(deps, options, version));
  return {
    version,
    pinned: render({}),
    make: (url, query) => {
      const found = known(url);
      if (found) return found;
      const options = readScriptOptions(query, deps.environment);
      const made = makeRepresentation(Buffer.from(render(options)), SCRIPT_TYPE);
      if (kept.size >= SCRIPTS_MAX) kept.clear();
      kept.set(url, made);
      return made;
    },
  };
}

function scriptConfig(deps: Deps, options: ScriptConfig["options"], version: string): ScriptConfig {
  const { clientId } = options;
  const merchant = clientId === undefined ? undefined : deps.directory().merchant(clientId);
  return {
    sdkVersion: version,
    environment: deps.environment,
    checkoutUrl: `${deps.publicUrl}/checkout`,
    // A client id nobody has gets a script of the same shape: it tells nothing about merchants.
    merchantName: merchant?.name ?? "",
    options,
  };
}
