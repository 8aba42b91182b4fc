import { ENDPOINTS } from "@exchange/contract";
import { tellError } from "../errors/answer.ts";
import {
  type Answer,
  hasBody,
  jsonBodyHeaders,
  rawBaseHeaders,
  send,
  takeOne,
} from "./answering.ts";
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
export function makeOrderDoor({ deps, merchantOf, limiters, answerOrder }: House): Door {
  const base = rawBaseHeaders(deps.publicUrl);
  return (request, response) => {
    const number = ADDRESS.exec(request.url ?? "")?.[1];
    if (!Number.isSafeInteger(Number(number)) || hasBody(request)) return false;
    const merchantId = merchantOf(request);
    const use = merchantId === undefined ? undefined : takeOne(limiters.reads, merchantId);
    if (merchantId === undefined || use === undefined) return false;
    const requestId = deps.ids.uuid();
    const asked = { merchantId, orderId: BigInt(number as string), requestId };
    const answered = answerTo({ deps, answerOrder }, asked).then((answer) => {
      const body = jsonBodyHeaders(answer.byteLength);
      send(response, { base, requestId, use, body }, answer);
    });
    answered.catch((error: unknown) => {
      deps.log.error({ err: error, requestId }, "an answer could not be sent");
      response.destroy();
    });
    return true;
  };
}

async function answerTo(
  { deps, answerOrder }: Pick<House, "deps" | "answerOrder">,
  { merchantId, orderId, requestId }: Asked,
): Promise<Answer> {
  try {
    const { payload, byteLength } = await answerOrder({ merchantId, orderId });
    return { status: endpoint.success.status, payload, byteLength };
  } catch (error) {
    const { status, text } = tellError(deps, error, { requestId, endpoint, route: ROUTE });
    return { status, payload: text, byteLength: Buffer.byteLength(text) };
  }
}
