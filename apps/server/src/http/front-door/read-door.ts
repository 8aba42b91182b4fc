import { hasBody, jsonBodyHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";

/** Reads of the catalogue whose answer is known: the ordinary path made it for the same merchant. */
export function makeReadDoor({ deps, merchantOf, limiters, answers }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl);
  return (request, response) => {
    const known = answers.knownAt(request.url ?? "");
    if (!known || hasBody(request)) return false;
    const merchantId = merchantOf(request);
    const answer = merchantId === undefined ? undefined : known.get(merchantId);
    const use = answer && takeOne(limiters.reads, merchantId ?? "");
    if (!use) return false;
    const { payload, byteLength } = answer;
    const body = jsonBodyHeaders(byteLength);
    const headers = { base, requestId: deps.ids.uuid(), use, body };
    send(response, headers, { status: 200, payload, byteLength });
    return true;
  };
}
