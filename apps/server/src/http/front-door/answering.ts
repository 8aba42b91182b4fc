import type { IncomingMessage, ServerResponse } from "node:http";
import { JSON_TYPE } from "../answer-cache.ts";
import type { RateLimiter, RateUse } from "../limits/rate-limiter.ts";
import { baseHeaders } from "../security-headers.ts";

/** Names and values in turn, as `writeHead` takes them: nothing is looked up or copied. */
export type RawHeaders = readonly string[];

/**
 * Counts the request. Undefined when it is one too many: the ordinary path refuses it, and that it
 * counts it again makes no difference to a limit that is used up.
 */
export function takeOne(limiter: RateLimiter, key: string): RateUse | undefined {
  const use = limiter.take(key);
  return use.allowed ? use : undefined;
}

/** A body on a GET changes nothing, but reading past it is the ordinary path's work. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** The headers of every answer with `changes` among them, flat. */
export const rawBaseHeaders = (
  publicUrl: string,
  changes: Readonly<Record<string, string>> = {},
): RawHeaders => Object.entries({ ...baseHeaders(publicUrl), ...changes }).flat();

/** Headers in the order of the ordinary path: those of all, the request's own, the body's. */
export interface HeaderParts {
  readonly base: RawHeaders;
  readonly requestId: string;
  readonly use: RateUse;
  readonly body: RawHeaders;
}

const rawHeaders = ({ base, requestId, use, body }: HeaderParts): string[] => [
  ...base,
  "x-request-id",
  requestId,
  "ratelimit-limit",
  String(use.limit),
  "ratelimit-remaining",
  String(use.remaining),
  "ratelimit-reset",
  String(use.resetSeconds),
  ...body,
];

/** A body that is ready, and how many bytes it has. */
export interface Answer {
  readonly status: number;
  readonly payload: string | Buffer;
  readonly byteLength: number;
}

export function send(response: ServerResponse, headers: HeaderParts, answer: Answer): void {
  const { status, payload, byteLength } = answer;
  response.writeHead(status, rawHeaders(headers));
  // Text of as many bytes as characters is ASCII: copied as it is, not encoded.
  response.write(payload, payload.length === byteLength ? "latin1" : "utf8");
  // Head and body leave at once, in one call; the end would otherwise add an empty part to them.
  response.socket?.uncork();
  response.end();
}

export const jsonBodyHeaders = (byteLength: number): RawHeaders => [
  "content-type",
  JSON_TYPE,
  "content-length",
  String(byteLength),
];
