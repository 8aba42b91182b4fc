import { ENDPOINTS, encodeJson, type QuoteRequest } from "@exchange/contract";
import { answerQuote } from "../quotes/routes.ts";
import type { Door, House } from "./door.ts";
import { makePostDoor } from "./post-door.ts";

/** A merchant's quotes. */
export const makeQuoteDoor = (house: House): Door =>
  makePostDoor<QuoteRequest>(house, {
    endpoint: ENDPOINTS.createQuote,
    limiter: house.limiters.quotes,
    answer: (merchantId, body) => encodeJson(answerQuote(house.deps, merchantId, body)),
  });
