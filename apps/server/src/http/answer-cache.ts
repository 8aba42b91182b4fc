import { encodeJson } from "@exchange/contract";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Deps } from "../flows/deps.ts";

type Payload = string | Buffer;

/** Keeps the bytes of answers that only the catalogue, the merchant and the address decide. */
export interface AnswerCache {
  /** Answers at once when the same merchant asked the same before. */
  readonly answerKnown: onRequestHookHandler;
  remember(request: FastifyRequest, body: unknown): Payload;
}

const ANSWERS_MAX = 2_000;
/** Node sends a short string in one write with its headers; a long one is cheaper as bytes. */
const STRING_CHARACTERS_MAX = 4_096;
export const JSON_TYPE = "application/json; charset=utf-8";

/** A new snapshot of the catalogue or of the merchants empties it. */
export function makeAnswerCache(deps: Pick<Deps, "catalogue" | "directory">): AnswerCache {
  const answers = new Map<string, Payload>();
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
      const payload = answers.get(keyOf(request));
      if (payload === undefined) done();
      else sendJson(reply, payload);
    },
    remember(request, body) {
      if (answers.size >= ANSWERS_MAX) answers.clear();
      const text = encodeJson(body);
      const payload = text.length > STRING_CHARACTERS_MAX ? Buffer.from(text) : text;
      answers.set(keyOf(request), payload);
      return payload;
    },
  };
}

export function sendJson(reply: FastifyReply, payload: Payload): FastifyReply {
  return reply.header("content-type", JSON_TYPE).send(payload);
}

function keyOf(request: FastifyRequest): string {
  const { caller } = request;
  const owner = caller.kind === "anybody" ? "" : caller.merchant.id;
  return `${owner} ${request.raw.url}`;
}
