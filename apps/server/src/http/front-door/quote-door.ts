import { ENDPOINTS, encodeJson, type QuoteRequest } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { parseJsonBody } from "../body/parse.ts";
import { tellError } from "../errors/answer.ts";
import { answerQuote } from "../quotes/routes.ts";
import { makeValidator } from "../validation.ts";
import { jsonBodyHeaders, type RawHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";
import { CLOSING, plainJsonLength, readBody } from "./json-body.ts";
import { makeMerchantOf } from "./known-merchant.ts";

const endpoint = ENDPOINTS.createQuote;
const ROUTE = `/v1${endpoint.path}`;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly connection: RawHeaders;
}

interface Asked {
  readonly bytes: Buffer;
  readonly merchantId: string;
  readonly requestId: string;
}

/** A merchant's quotes. Once the body is read the request is ours, whatever is wrong in it. */
export function makeQuoteDoor({ deps, limiters }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl);
  const merchantOf = makeMerchantOf(deps);
  const answerTo = makeAnswerer(deps);
  return (request, response) => {
    const length = request.url === ROUTE ? plainJsonLength(request) : undefined;
    if (length === undefined) return false;
    const merchantId = merchantOf(request);
    const use = merchantId === undefined ? undefined : takeOne(limiters.quotes, merchantId);
    if (merchantId === undefined || use === undefined) return false;
    readBody(request, length, (bytes) => {
      const requestId = deps.ids.uuid();
      const { status, text, connection } = answerTo({ bytes, merchantId, requestId });
      const byteLength = Buffer.byteLength(text);
      const body = [...connection, ...jsonBodyHeaders(byteLength)];
      send(response, { base, requestId, use, body }, { status, payload: text, byteLength });
    });
    return true;
  };
}

function makeAnswerer(deps: Deps): (asked: Asked) => Answer {
  const validate = makeValidator("body", endpoint.body);
  return ({ bytes, merchantId, requestId }) => {
    let connection = CLOSING;
    try {
      const body = parseJsonBody(bytes);
      connection = [];
      validate(body);
      const quote = answerQuote(deps, merchantId, body as unknown as QuoteRequest);
      return { status: endpoint.success.status, text: encodeJson(quote), connection };
    } catch (error) {
      return { ...tellError(deps, error, { requestId, endpoint, route: ROUTE }), connection };
    }
  };
}
