import { API_ERRORS, type ErrorCode } from "./errors.ts";
import type { Json } from "./openapi-schemas.ts";

const NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "Unavailable",
};

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The request is not valid.",
  401: "The credentials or the public token are missing or not valid.",
  403: "The caller may not do this.",
  404: "The resource does not exist.",
  409: "The current state does not allow this.",
  413: "The body is larger than 64 kB.",
  415: "The body is not application/json.",
  429: "Too many requests.",
  500: "Something went wrong on our side.",
  503: "A provider or the liquidity is not available.",
};

const FOLDED_NAME = "BadRequestOnly";
/** Statuses that an endpoint with few documented statuses answers as 400. */
const FOLDED_STATUSES: readonly number[] = [409, 413, 415];
const EXAMPLE_REQUEST_ID = "3f1d6a52-5bd2-4d2e-9a38-2f4f0f1f7c11";

/** Name of the response for a status. It depends on the other statuses of the endpoint. */
export const errorResponseName = (status: number, all: readonly number[]): string =>
  status === 400 && !all.includes(409) && !all.includes(404)
    ? FOLDED_NAME
    : (NAMES[status] ?? "InternalError");

/** Every error response of the document, with an example for each code. */
export function errorResponses(): Readonly<Record<string, Json>> {
  const byStatus = Object.entries(NAMES).map(([status, name]) => [
    name,
    errorResponse(Number(status), [Number(status)]),
  ]);
  return {
    ...Object.fromEntries(byStatus),
    [FOLDED_NAME]: errorResponse(400, [400, ...FOLDED_STATUSES]),
  };
}

function errorResponse(status: number, codesOf: readonly number[]): Json {
  const codes = (Object.keys(API_ERRORS) as ErrorCode[]).filter((code) =>
    codesOf.includes(API_ERRORS[code].status),
  );
  return {
    description: DESCRIPTIONS[status] ?? "",
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/XRequestId" },
      ...(status === 429 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
    },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorBody" },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

const exampleOf = (code: ErrorCode): Json => ({
  code,
  message: API_ERRORS[code].message,
  requestId: EXAMPLE_REQUEST_ID,
});
