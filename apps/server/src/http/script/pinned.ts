import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { JSON_TYPE } from "../answer-cache.ts";
import { makeRepresentation, sendRepresentation } from "../assets/representation.ts";
import { SCRIPT_HEADERS, SCRIPT_TYPE, type Scripts } from "./script.ts";

const TYPES = "@exchange/browser/exchange.d.ts";
const FOREVER = "public, max-age=31536000, immutable";

/**
 * The script of one version for every merchant, the same bytes for as long as it is served, so that a
 * page may name their hash; `GET /v1/sdk/exchange.json`, which says the address and the hash of the
 * version that is served now; and the types of both.
 */
export function registerPinnedScript(
  app: FastifyInstance,
  parts: { readonly deps: Deps; readonly scripts: Scripts },
): void {
  const { version, pinned } = parts.scripts;
  const path = `/v1/sdk/exchange-${version}.js`;
  const script = makeRepresentation(Buffer.from(pinned), SCRIPT_TYPE);
  const about = makeRepresentation(
    Buffer.from(
      JSON.stringify({
        version,
        script: `${parts.deps.publicUrl}${path}`,
        integrity: `sha384-${createHash("sha384").update(script.bytes).digest("base64")}`,
        types: `${parts.deps.publicUrl}/v1/sdk/exchange.d.ts`,
      }),
    ),
    JSON_TYPE,
  );
  const types = makeRepresentation(
    readFileSync(createRequire(import.meta.url).resolve(TYPES)),
    "text/plain; charset=utf-8",
  );
  app.get(path, (request, reply) =>
    sendRepresentation({ request, reply }, script, { ...SCRIPT_HEADERS, "cache-control": FOREVER }),
  );
  app.get("/v1/sdk/exchange.json", (request, reply) =>
    sendRepresentation({ request, reply }, about, SCRIPT_HEADERS),
  );
  app.get("/v1/sdk/exchange.d.ts", (request, reply) =>
    sendRepresentation({ request, reply }, types, SCRIPT_HEADERS),
  );
}
