import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { makeRepresentation, sendRepresentation } from "../representation.ts";
import { JSON_TYPE } from "../wire.ts";
import { makeScriptRenderer, SCRIPT_HEADERS, SCRIPT_TYPE } from "./script.ts";

const TYPES = "@exchange/browser/exchange.d.ts";
const BUTTON = "@exchange/browser/exchange-button.js";
const FOREVER = "public, max-age=31536000, immutable";

/**
 * Registers the script of this version for every merchant, and the custom element. The bytes of a version never
 * change, so a page may pin their hash. `GET /v1/sdk/exchange.json` names the addresses and the hashes of the
 * current version.
 */
export function registerPinnedScript(app: FastifyInstance, deps: Deps, version: string): void {
  const path = `/v1/sdk/exchange-${version}.js`;
  const script = makeRepresentation(makeScriptRenderer(deps, version)({}), SCRIPT_TYPE);
  const buttonPath = `/v1/sdk/exchange-button-${version}.js`;
  const button = makeRepresentation(read(BUTTON), SCRIPT_TYPE);
  const about = makeRepresentation(
    JSON.stringify({
      version,
      script: `${deps.publicUrl}${path}`,
      integrity: integrityOf(script),
      button: { script: `${deps.publicUrl}${buttonPath}`, integrity: integrityOf(button) },
      types: `${deps.publicUrl}/v1/sdk/exchange.d.ts`,
    }),
    JSON_TYPE,
  );
  const types = makeRepresentation(read(TYPES), "text/plain; charset=utf-8");
  app.get(path, (request, reply) =>
    sendRepresentation({ request, reply }, script, { ...SCRIPT_HEADERS, "cache-control": FOREVER }),
  );
  app.get("/v1/sdk/exchange-button.js", (request, reply) =>
    sendRepresentation({ request, reply }, button, SCRIPT_HEADERS),
  );
  app.get(buttonPath, (request, reply) =>
    sendRepresentation({ request, reply }, button, { ...SCRIPT_HEADERS, "cache-control": FOREVER }),
  );
  app.get("/v1/sdk/exchange.json", (request, reply) =>
    sendRepresentation({ request, reply }, about, SCRIPT_HEADERS),
  );
  app.get("/v1/sdk/exchange.d.ts", (request, reply) =>
    sendRepresentation({ request, reply }, types, SCRIPT_HEADERS),
  );
}

const read = (file: string): string =>
  readFileSync(createRequire(import.meta.url).resolve(file), "utf8");

const integrityOf = ({ bytes }: { readonly bytes: Buffer }): string =>
  `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
