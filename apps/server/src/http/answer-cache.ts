import { encodeJson } from "@exchange/contract";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Deps } from "../flows/deps.ts";

/** The body of an answer, ready to be sent. */
export interface KnownAnswer {
  readonly payload: string | Buffer;
  readonly byteLength: number;
}

/** Keeps the bytes of answers that only the catalogue, the merchant and the address decide. */
export interface AnswerCache {
  /** Answers at once when the same merchant asked the same before. */
  readonly answerKnown: onRequestHookHandler;
  remember(request: FastifyRequest, body: unknown): KnownAnswer;
}

const ANSWERS_MAX = 2_000;
/** Node sends a short string in one write with its headers; a long one is cheaper as bytes. */
const STRING_CHARACTERS_MAX = 4_096;
export const JSON_TYPE = "application/json; charset=utf-8";

/** A new snapshot of the catalogue or of the merchants empties it. */
export function makeAnswerCache(deps: Pick<Deps, "catalogue" | "directory">): AnswerCache {
  const answers = new Map<string, Map<string, KnownAnswer>>();
  let count = 0;
  let catalogue: unknown;
  let directory: unknown;
  const forget = (): void => {
    answers.clear();
    count = 0;
  };
  const knownAt = (url: string): Map<string, KnownAnswer> | undefined => {
    if (deps.catalogue() !== catalogue || deps.directory() !== directory) forget();
    catalogue = deps.catalogue();
    directory = deps.directory();
    return answers.get(url);
  };
  return {
    answerKnown(request, reply, done) {
      const answer = knownAt(request.raw.url ?? "")?.get(ownerOf(request));
      if (answer === undefined) done();
      else sendJson(reply, answer.payload);
    },
    remember(request, body) {
      if (count >= ANSWERS_MAX) forget();
      const url = request.raw.url ?? "";
      const known = knownAt(url) ?? new Map<string, KnownAnswer>();
      const answer = answerOf(encodeJson(body));
      known.set(ownerOf(request), answer);
      answers.set(url, known);
      count += 1;
      return answer;
    },
  };
}

function answerOf(text: string): KnownAnswer {
  const bytes = Buffer.from(text);
  const payload = text.length > STRING_CHARACTERS_MAX ? bytes : text;
  return { payload, byteLength: bytes.length };
}

export function sendJson(reply: FastifyReply, payload: KnownAnswer["payload"]): FastifyReply {
  return reply.header("content-type", JSON_TYPE).send(payload);
}

function ownerOf({ caller }: FastifyRequest): string {
  return caller.kind === "anybody" ? "" : caller.merchant.id;
}
