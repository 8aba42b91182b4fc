import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "../../flows/deps.ts";
import type { AnswerCache } from "../answer-cache.ts";
import type { RateLimiters } from "../limits/rate-limits.ts";
import type { AnswerOrder } from "../orders/kept-answers.ts";
import type { Scripts } from "../script/script.ts";
import type { HttpSettings } from "../settings.ts";
import type { MerchantOf } from "./known-merchant.ts";

/** The parts that the ordinary path works with too. */
export interface HouseParts {
  readonly deps: Deps;
  readonly settings: HttpSettings;
  readonly limiters: RateLimiters;
  /** Reads that the ordinary path has answered before. */
  readonly answers: AnswerCache;
  readonly scripts: Scripts;
  readonly answerOrder: AnswerOrder;
}

/** What the doors work with. */
export interface House extends HouseParts {
  readonly merchantOf: MerchantOf;
}

/** Takes a request, or leaves it as it came: then the answer is false. */
export type Door = (request: IncomingMessage, response: ServerResponse) => boolean;
