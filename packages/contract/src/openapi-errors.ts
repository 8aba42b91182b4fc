import { API_ERRORS, type ErrorCode } from "./errors.ts";
import type { Json } from "./openapi-schemas.ts";

/** Name and description of the response for each error status. */
const RESPONSES: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ["BadRequest", "The request is not valid."],
  401: ["Unauthorized", "The credentials or the public token are missing or not valid."],
  403: ["Forbidden", "The caller may not do this."],
  404: ["NotFound", "The resource does not exist."],
  409: ["Conflict", "The current state does not allow this."],
  413: ["PayloadTooLarge", "The body is larger than 64 kB."],
  415: ["UnsupportedMediaType", "The body is not application/json."],
  429: ["TooManyRequests", "Too many requests."],
  500: ["InternalError", "Something went wrong on our side."],
  503: ["Unavailable", "A provider or the liquidity is not available."],
};

const FOLDED_NAME = "BadRequestOnly";
/** Statuses that an endpoint with few documented statuses answers as 400. */
const FOLDED_STATUSES: readonly number[] = [403, 409, 413, 415];
const EXAMPLE_REQUEST_ID = "3f1d6a52-5bd2-4d2e-9a38-2f4f0f1f7c11";

/** Name of the response for a status. It depends on the other statuses of the endpoint. */
export const errorResponseName = (status: number, all: readonly number[]): string =>
  status === 400 && !all.includes(409) && !all.includes(404)
    ? FOLDED_NAME
    : (RESPONSES[status]?.[0] ?? "InternalError");

/** Every error response of the document, with an example for each code. */
export function errorResponses(): Readonly<Record<string, Json>> {
  const byStatus = Object.entries(RESPONSES).map(([status, [name]]) => [
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
    description: RESPONSES[status]?.[1] ?? "",
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
  ...(LIMIT_CODES.has(code) && {
    details: [{ path: "body.baseAmount", issue: API_ERRORS[code].message, ...LIMITS }],
  }),
});

const LIMIT_CODES: ReadonlySet<ErrorCode> = new Set([
  "AMOUNT_BELOW_MINIMUM",
  "AMOUNT_ABOVE_MAXIMUM",
]);
const LIMITS = { min: 10, max: 4900, currencyCode: "EUR", boundBy: "payment_method" };
