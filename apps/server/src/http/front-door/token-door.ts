import { type CreateTokenRequest, ENDPOINTS, encodeJson } from "@exchange/contract";
import { answerToken } from "../tokens/routes.ts";
import type { Door, House } from "./door.ts";
import { makePostDoor } from "./post-door.ts";

/** A merchant's public tokens, each answered when its session is durable. */
export function makeTokenDoor(house: House): Door {
  const { deps, limiters } = house;
  return makePostDoor<CreateTokenRequest>(house, {
    endpoint: ENDPOINTS.createPublicToken,
    limiter: limiters.tokens,
    answer: async (merchantId, body) => {
      const merchant = deps.directory().merchant(merchantId);
      if (!merchant) throw new Error(`${merchantId} was let in and is not known`);
      return encodeJson(await answerToken(deps, merchant, body));
    },
  });
}
