import { ENDPOINTS, encodeJson } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { tellError } from "../errors/answer.ts";
import { answerOrder } from "../orders/routes.ts";
import { hasBody, jsonBodyHeaders, rawBaseHeaders, send, takeOne } from "./answering.ts";
import type { Door, House } from "./door.ts";

const endpoint = ENDPOINTS.readOrder;
const ROUTE = "/v1/orders/:orderId";
const ADDRESS = /^\/v1\/orders\/([1-9]\d{0,15})$/;

interface Asked {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly requestId: string;
}

/** One order, read by its merchant. */
export function makeOrderDoor({ deps, merchantOf, limiters }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl);
  return (request, response) => {
    const number = ADDRESS.exec(request.url ?? "")?.[1];
    if (!Number.isSafeInteger(Number(number)) || hasBody(request)) return false;
    const merchantId = merchantOf(request);
    const use = merchantId === undefined ? undefined : takeOne(limiters.reads, merchantId);
    if (merchantId === undefined || use === undefined) return false;
    const requestId = deps.ids.uuid();
    const asked = { merchantId, orderId: BigInt(number as string), requestId };
    const answered = answerTo(deps, asked).then(({ status, text }) => {
      const byteLength = Buffer.byteLength(text);
      const body = jsonBodyHeaders(byteLength);
      send(response, { base, requestId, use, body }, { status, payload: text, byteLength });
    });
    answered.catch((error: unknown) => {
      deps.log.error({ err: error, requestId }, "an answer could not be sent");
      response.destroy();
    });
    return true;
  };
}

async function answerTo(deps: Deps, { merchantId, orderId, requestId }: Asked) {
  try {
    const order = await answerOrder(deps, { merchantId, orderId });
    return { status: endpoint.success.status, text: encodeJson(order) };
  } catch (error) {
    return tellError(deps, error, { requestId, endpoint, route: ROUTE });
  }
}
