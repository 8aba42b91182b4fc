import { type Encoding, encodingFor, type Representation } from "../assets/representation.ts";
import { SCRIPT_HEADERS } from "../script/script.ts";
import { hasBody, type RawHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";

const { "cache-control": caching, "cross-origin-resource-policy": policy, ...OWN } = SCRIPT_HEADERS;
const OWN_HEADERS: RawHeaders = Object.entries(OWN).flat();

/** The script as it was made for the same address before. Who has it already is asked elsewhere. */
export function makeScriptDoor({ deps, settings, limiters, scripts }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl, {
    "cache-control": caching,
    "cross-origin-resource-policy": policy,
  });
  // A proxy that is believed names the client's address in a header, and the router reads it.
  const isBehindProxy = (settings.trustedProxies ?? []).length > 0;
  return (request, response) => {
    const script = scripts.known(request.url ?? "");
    const { headers, socket } = request;
    if (!script || isBehindProxy || hasBody(request)) return false;
    if (headers["if-none-match"] !== undefined || socket.remoteAddress === undefined) return false;
    const use = takeOne(limiters.anonymous, socket.remoteAddress);
    if (!use) return false;
    const encoding = encodingFor(script, headers["accept-encoding"] as string | undefined);
    const payload = encoding ? script.encoded(encoding) : script.bytes;
    const byteLength = payload.length;
    const body = bodyHeaders(script, encoding, byteLength);
    const parts = { base, requestId: deps.ids.uuid(), use, body };
    send(response, parts, { status: 200, payload, byteLength });
    return true;
  };
}

function bodyHeaders(script: Representation, encoding: Encoding | undefined, bytes: number) {
  const { etag, contentType } = script;
  const own = [
    ...OWN_HEADERS,
    "etag",
    etag,
    "vary",
    "accept-encoding",
    "content-type",
    contentType,
  ];
  const coding = encoding ? ["content-encoding", encoding] : [];
  return [...own, ...coding, "content-length", String(bytes)];
}
