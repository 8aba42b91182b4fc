import { encodeJson } from "@exchange/contract";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Deps } from "../flows/deps.ts";

/** Keeps the bytes of answers that only the catalogue, the merchant and the address decide. */
export interface AnswerCache {
  /** Answers at once when the same merchant asked the same before. */
  readonly answerKnown: onRequestHookHandler;
  remember(request: FastifyRequest, body: unknown): Buffer;
}

const ANSWERS_MAX = 2_000;
export const JSON_TYPE = "application/json; charset=utf-8";

/** A new snapshot of the catalogue or of the merchants empties it. */
export function makeAnswerCache(deps: Pick<Deps, "catalogue" | "directory">): AnswerCache {
  const answers = new Map<string, Buffer>();
  let catalogue: unknown;
  let directory: unknown;
  const forgetStale = (): void => {
    if (deps.catalogue() === catalogue && deps.directory() === directory) return;
    catalogue = deps.catalogue();
    directory = deps.directory();
    answers.clear();
  };
  return {
    answerKnown(request, reply, done) {
      forgetStale();
      const bytes = answers.get(keyOf(request));
      if (bytes) sendBytes(reply, bytes);
      else done();
    },
    remember(request, body) {
      if (answers.size >= ANSWERS_MAX) answers.clear();
      const bytes = Buffer.from(encodeJson(body));
      answers.set(keyOf(request), bytes);
      return bytes;
    },
  };
}

export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.header("content-type", JSON_TYPE).send(bytes);
}

function keyOf(request: FastifyRequest): string {
  const { caller } = request;
  const owner = caller.kind === "anybody" ? "" : caller.merchant.id;
  return `${owner} ${request.raw.url}`;
}
