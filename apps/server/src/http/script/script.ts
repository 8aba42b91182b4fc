import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { panelTexts, renderScript, type ScriptOptions } from "@exchange/browser/render";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { findMerchant } from "../../flows/merchants/find.ts";
import { makeRepresentation, sendRepresentation } from "../representation.ts";
import { JSON_TYPE } from "../wire.ts";
import { BadScriptRequest, readScriptOptions } from "./options.ts";
import { scriptOfUnknownClient } from "./unknown-client.ts";

const TEMPLATE = "@exchange/browser/exchange.template.js";
export const SCRIPT_TYPE = "application/javascript; charset=utf-8";

export const SCRIPT_HEADERS = {
  "cache-control": "public, max-age=300, stale-while-revalidate=3600",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "timing-allow-origin": "*",
} as const;

/**
 * Registers `GET /v1/sdk/exchange.js`. A script tag loads it, so it is the same for every visitor
 * with the same language and holds nothing secret. The interface documents 200, and 500 with a `message`. A wrong
 * parameter is therefore a 500 too, and its message says how to correct it.
 */
export function registerScript(app: FastifyInstance, deps: Deps, version: string): void {
  const render = makeScriptRenderer(deps, version);
  app.get("/v1/sdk/exchange.js", {
    // Parameters that the script does not use make no other script, so they make no other answer.
    config: {
      cacheKey: (request) =>
        `${isOfTag(request)} ${panelTexts(request.headers["accept-language"], "")[1]} ${JSON.stringify(readScriptOptions(request.query, deps.environment))}`,
    },
    handler: async (request, reply) => {
      const options = readScriptOptions(request.query, deps.environment);
      const isKnown = await isMerchant(deps, options.clientId);
      const script = isKnown
        ? render(options, request.headers["accept-language"])
        : isOfTag(request)
          ? scriptOfUnknownClient(deps, options.clientId)
          : undefined;
      if (script === undefined) throw new BadScriptRequest(UNKNOWN);
      const representation = makeRepresentation(script, SCRIPT_TYPE);
      return sendRepresentation({ request, reply }, representation, {
        ...SCRIPT_HEADERS,
        vary: "accept-encoding, accept-language",
        ...(!isKnown && { "cache-control": "no-store" }),
      });
    },
    errorHandler: (error, request, reply) => {
      if (reply.hasHeader("retry-after")) throw error;
      const message =
        error instanceof BadScriptRequest
          ? error.message
          : "The script could not be built. Try again shortly.";
      if (!(error instanceof BadScriptRequest)) {
        request.log.error({ err: error }, "the script failed");
      }
      return reply
        .code(500)
        .headers({
          "content-type": JSON_TYPE,
          "cache-control": "no-store",
          // Otherwise the browser hides the message from the developer's tools.
          "cross-origin-resource-policy": "cross-origin",
        })
        .send({ message });
    },
  });
}

/** Whether a script tag of a page asks. Its page cannot read the documented answer to an error. */
const isOfTag = ({ headers }: FastifyRequest): boolean => headers["sec-fetch-dest"] === "script";

const UNKNOWN = "clientId is not a client id of this service. Use the one from your onboarding.";

/** Client ids are public, so the answer may say that one is unknown. */
async function isMerchant(deps: Deps, clientId: string): Promise<boolean> {
  const { environment } = deps;
  const other = /^client_(dev|staging|prod)_/.exec(clientId)?.[1];
  if (other !== undefined && other !== environment) {
    throw new BadScriptRequest(
      `clientId belongs to ${other}, and this service serves ${environment}. Use the client id of ${environment}.`,
    );
  }
  return (await findMerchant(deps, clientId)) !== undefined;
}

/**
 * Returns the function that renders the script for a page's options; `{}` fits every merchant. `languages` is a header
 * Accept-Language; without one the texts are English.
 */
export function makeScriptRenderer(
  deps: Deps,
  version: string,
): (options: Partial<ScriptOptions>, languages?: string) => string {
  const template = readFileSync(createRequire(import.meta.url).resolve(TEMPLATE), "utf8");
  return (options, languages) => {
    const { clientId } = options;
    const merchant = clientId === undefined ? undefined : deps.directory().merchant(clientId);
    return renderScript(template, {
      sdkVersion: version,
      environment: deps.environment,
      checkoutUrl: `${deps.publicUrl}/checkout`,
      texts: panelTexts(languages, merchant?.name ?? ""),
      options,
    });
  };
}
