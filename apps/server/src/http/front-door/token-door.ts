import { type CreateTokenRequest, ENDPOINTS } from "@exchange/contract";
import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Deps } from "../../flows/deps.ts";
import { parseJsonBody } from "../body/parse.ts";
import { tellError } from "../errors/answer.ts";
import { answerToken } from "../tokens/routes.ts";
import { makeValidator } from "../validation.ts";
import { jsonBodyHeaders, type RawHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";
import { CLOSING, plainJsonLength, readBody } from "./json-body.ts";
import { makeMerchantOf } from "./known-merchant.ts";

const endpoint = ENDPOINTS.createPublicToken;
const ROUTE = `/v1${endpoint.path}`;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly connection: RawHeaders;
}

interface Asked {
  readonly bytes: Buffer;
  readonly merchant: Merchant;
  readonly requestId: string;
}

/** A merchant's public tokens. Once the body is read the request is ours, whatever is wrong in it. */
export function makeTokenDoor({ deps, limiters }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl);
  const merchantOf = makeMerchantOf(deps);
  const answerTo = makeAnswerer(deps);
  return (request, response) => {
    const length = request.url === ROUTE ? plainJsonLength(request) : undefined;
    if (length === undefined) return false;
    const merchant = deps.directory().merchant(merchantOf(request) ?? "");
    const use = merchant && takeOne(limiters.tokens, merchant.id);
    if (!use) return false;
    readBody(request, length, (bytes) => {
      const requestId = deps.ids.uuid();
      const answered = answerTo({ bytes, merchant, requestId }).then((answer) => {
        const { status, text, connection } = answer;
        const byteLength = Buffer.byteLength(text);
        const body = [...connection, ...jsonBodyHeaders(byteLength)];
        send(response, { base, requestId, use, body }, { status, payload: text, byteLength });
      });
      answered.catch((error: unknown) => {
        deps.log.error({ err: error, requestId }, "an answer could not be sent");
        response.destroy();
      });
    });
    return true;
  };
}

function makeAnswerer(deps: Deps): (asked: Asked) => Promise<Answer> {
  const validate = makeValidator("body", endpoint.body);
  return async ({ bytes, merchant, requestId }) => {
    let connection = CLOSING;
    try {
      const body = parseJsonBody(bytes);
      connection = [];
      validate(body);
      const token = await answerToken(deps, merchant, body as unknown as CreateTokenRequest);
      return { status: endpoint.success.status, text: JSON.stringify(token), connection };
    } catch (error) {
      return { ...tellError(deps, error, { requestId, endpoint, route: ROUTE }), connection };
    }
  };
}
