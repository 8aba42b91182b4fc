import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import {
  type AdminErrorCode,
  type Endpoint,
  type ErrorCode,
  encodeJson,
  jsonNumber,
} from "@exchange/contract";
import { toDecimal } from "@exchange/money";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { isUnavailable, Refusal, type RefusalDetail, statusOf } from "../../flows/refusal.ts";
import { baseHeaders } from "../security-headers.ts";
import { JSON_TYPE } from "../wire.ts";

/** An error as the service answers it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode | AdminErrorCode;
  /** The body as JSON text. */
  readonly text: string;
  /** The service is at fault, so the cause belongs in the log. */
  readonly isOurs: boolean;
  /** The value of `Retry-After`, if the header is sent. */
  readonly retryAfterSeconds: number | undefined;
}

/** The errors that always pass by themselves. A rate limit replaces the time by the end of its window. */
const PASSING_CODES: ReadonlySet<ErrorCode | AdminErrorCode> = new Set([
  "SERVICE_UNAVAILABLE",
  "RATE_LIMITED",
]);
const RETRY_AFTER_SECONDS = 2;

/** A refusal may name the seconds itself, as one for too many attempts to sign in does. */
function secondsUntil({ code, extra }: Refusal): number | undefined {
  const seconds = extra?.["retryAfterSeconds"];
  if (typeof seconds === "number") return seconds;
  return PASSING_CODES.has(code) ? RETRY_AFTER_SECONDS : undefined;
}

/** The codes for errors that Fastify itself raises. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "PAYLOAD_TOO_LARGE",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_NOT_FOUND: "NOT_FOUND",
};

/** The advice for errors that Fastify raises before it finds a route, or while it reads a body. */
const FRAMEWORK_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    "The path is not valid percent-encoding. Encode each part of it as UTF-8, such as %25 for a percent sign.",
  FST_ERR_MAX_PARAM_LENGTH:
    "A part of the path is too long. Send the id as the service returned it.",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH:
    "The body does not have the length that Content-Length says. Let your HTTP client set that header.",
};

/** Converts any error of a request into an answer. The answer never holds a stack or SQL. */
function presentError(
  error: unknown,
  context: {
    readonly requestId: string;
    readonly endpoint?: Pick<Endpoint, "errors"> | undefined;
    readonly method?: string;
  },
): ErrorAnswer {
  const refusal = toRefusal(error);
  const { extra } = refusal;
  const place = context.method === "GET" ? "query" : "body";
  const { message, details } = hideCardNumbers(refusal, place);
  const status = foldStatus(statusOf(refusal.code), context.endpoint);
  const { requestId } = context;
  const body = { code: refusal.code, message, requestId, details, ...extra };
  return {
    status,
    code: refusal.code,
    text: encodeJson(body),
    isOurs: refusal.code === "INTERNAL_ERROR",
    retryAfterSeconds: secondsUntil(refusal),
  };
}

/** The status in the log of a request whose client left while it sent the body. */
const CLIENT_LEFT = 400;

/** Whether the connection broke, and not our work. Our own connections may report the same code. */
const isOfClient = (error: unknown, { raw }: FastifyRequest): boolean =>
  error !== null && error === raw.errored;

/** Answers any error of a request, of the API or of the console, and logs one that is our fault. */
export function answerError(
  { publicUrl }: Pick<Deps, "publicUrl">,
  error: unknown,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  const { url, config } = request.routeOptions;
  if (isOfClient(error, request)) {
    // Nobody reads the answer, which only ends the request.
    request.log.info({ route: url }, "request aborted");
    return reply.code(CLIENT_LEFT).send();
  }
  const { status, code, text, isOurs, retryAfterSeconds } = presentError(error, {
    requestId: request.id,
    endpoint: config.endpoint ?? config.adminEndpoint,
    method: request.method,
  });
  request.errorCode = code;
  if (isOurs) request.log.error({ err: error, route: url }, "a request failed");
  return reply
    .code(status)
    .headers({
      ...baseHeaders(publicUrl),
      "x-request-id": request.id,
      "content-type": JSON_TYPE,
      ...(!reply.hasHeader("retry-after") &&
        retryAfterSeconds && { "retry-after": retryAfterSeconds }),
    })
    .send(text);
}

/** A text with the digits of a card number. An answer may be logged where a card number must not be. */
const CARD_NUMBER = /\p{Nd}(?:[^\p{L}\p{Nd}]{0,2}\p{Nd}){11,}/gu;

/** A path contains names of members, which the client chose. A name that is a card number is hidden. */
function hideCardNumbers(refusal: Refusal, place: "body" | "query") {
  let { message } = refusal;
  const details = refusal.details?.map((found) => {
    const detail = toWire(found, place);
    const path = detail.path?.replace(CARD_NUMBER, "(digits)");
    if (path === undefined || path === detail.path) return detail;
    message = message.replaceAll(detail.path ?? path, path);
    return { ...detail, path };
  });
  return { message, details };
}

/** The field of a command is a member of the request's body, or of its query. Limits are exact, to the last unit. */
const toWire = ({ field, ...detail }: RefusalDetail, place: "body" | "query") => ({
  ...(field !== undefined && { path: `${place}.${field}` }),
  ...detail,
  ...(detail.min && { min: jsonNumber(toDecimal(detail.min)) }),
  ...(detail.max && { max: jsonNumber(toDecimal(detail.max)) }),
});

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isUnavailable(error)) return new Refusal("SERVICE_UNAVAILABLE");
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const frameworkCode = typeof code === "string" ? FRAMEWORK_CODES[code] : undefined;
  if (frameworkCode) return new Refusal(frameworkCode);
  const isFramework = typeof code === "string" && code.startsWith("FST_");
  if (isFramework && typeof statusCode === "number" && statusCode < 500) {
    const message = FRAMEWORK_MESSAGES[code] ?? "The request could not be read.";
    return new Refusal("INVALID_INPUT", { message });
  }
  return new Refusal("INTERNAL_ERROR");
}

/**
 * Some endpoints document few statuses. Any other status becomes 400 or 500 there, and the code
 * stays precise.
 */
function foldStatus(status: number, endpoint: Pick<Endpoint, "errors"> | undefined): number {
  if (!endpoint || endpoint.errors.includes(status)) return status;
  return status < 500 ? 400 : 500;
}

const LONG_HEADERS = `The address and the headers of the request have more than ${maxHeaderSize / 1024} kB. Send fewer or shorter ones, such as no cookies.`;
const NOT_HTTP =
  "The request is not valid HTTP. Send it with an HTTP client, with its path percent-encoded and its headers in one line each.";

/**
 * Answers a request that is not valid HTTP, or arrived too slowly, with the documented error body. A connection without a
 * request is only closed: a browser would read an answer there as the answer to the next request that it sends.
 */
export const answerClientError =
  (deps: Pick<Deps, "ids" | "publicUrl">) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const requestId = deps.ids.uuid();
    const isSlow = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const isLong = error.code === "HPE_HEADER_OVERFLOW";
    const spoilt = isLong ? LONG_HEADERS : NOT_HTTP;
    const refusal = new Refusal("INVALID_INPUT", {
      message: isSlow ? "The request arrived too slowly." : spoilt,
    });
    const text = presentError(refusal, { requestId }).text;
    const headers = {
      "content-type": JSON_TYPE,
      "content-length": Buffer.byteLength(text),
      "x-request-id": requestId,
      connection: "close",
      ...baseHeaders(deps.publicUrl),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(["HTTP/1.1 400 Bad Request", ...lines, "", text].join("\r\n"));
    // The answer was handed to the system at once. The parser would read the rest of the request, and execute it.
    if (isSlow) socket.destroy();
  };
