import { ExchangeError, type ExchangeErrorFields } from "../errors.ts";
import type { ErrorDetail } from "../generated/types.ts";
import type { Attempt } from "./attempt.ts";
import { readRetryAfter } from "./backoff.ts";
import type { Operation } from "./operation.ts";

/** Fields that all errors of one call share. */
export interface CallFacts {
  readonly operation: Operation;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
  readonly timeoutMs: number;
  readonly nowMs: number;
}

export type Outcome =
  | { readonly ok: true; readonly status: number; readonly requestId?: string; body: unknown }
  | { readonly ok: false; readonly error: ExchangeError };

/** Statuses of temporary failures. Gateways send some of them in place of the service. */
const PASSING_STATUSES = new Set([429, 500, 502, 503, 504]);
const MESSAGE_CHARACTERS_MAX = 500;

/** Reads the result of an attempt: the success body, or an error to throw or retry. */
export function readOutcome(attempt: Attempt, facts: CallFacts): Outcome {
  switch (attempt.kind) {
    case "timeout":
      return fail(facts, {
        code: "TIMEOUT",
        message: `no answer within ${facts.timeoutMs} ms`,
        retryable: true,
      });
    case "failed":
      return fail(facts, { code: "CONNECTION_FAILED", message: attempt.why, retryable: true });
    case "too_large":
      return unexpected(facts, { status: attempt.status, message: "the answer is too large" });
    case "answer":
      return readAnswer(attempt, facts);
  }
}

function readAnswer(answer: Extract<Attempt, { kind: "answer" }>, facts: CallFacts): Outcome {
  const { status } = answer;
  const requestId = answer.headers.get("x-request-id") ?? undefined;
  const named = requestId === undefined ? {} : { requestId };
  if (status === 204) return { ok: true, status, ...named, body: undefined };
  const body = parseObject(answer.text);
  const member = facts.operation.unwrapped ? "success" : "data";
  if (status >= 200 && status < 300 && body !== undefined && member in body) {
    return { ok: true, status, ...named, body };
  }
  const retryAfterMs = readRetryAfter(answer.headers.get("retry-after"), facts.nowMs);
  const response = { status, ...named, retryAfterMs };
  if (status >= 400 && typeof body?.["code"] === "string") return refuse(facts, { response, body });
  return unexpected(facts, { ...response, message: explain(status) });
}

interface Refused {
  readonly response: Pick<ExchangeErrorFields, "status" | "requestId" | "retryAfterMs">;
  readonly body: Readonly<Record<string, unknown>>;
}

function refuse(facts: CallFacts, { response, body }: Refused): Outcome {
  const { code, message, requestId, details } = body;
  // The first request with this key still runs.
  const isHeld = code === "IDEMPOTENCY_CONFLICT" && response.retryAfterMs !== undefined;
  return fail(facts, {
    ...response,
    requestId: typeof requestId === "string" ? requestId : response.requestId,
    code: String(code),
    message: String(message ?? code).slice(0, MESSAGE_CHARACTERS_MAX),
    details: Array.isArray(details) ? (details as ErrorDetail[]) : [],
    retryable: PASSING_STATUSES.has(response.status ?? 0) || isHeld,
    body,
  });
}

/**
 * The error for a response that is not from the service: from a proxy, a captive portal or a wrong
 * address.
 */
const unexpected = (
  facts: CallFacts,
  response: Pick<ExchangeErrorFields, "message" | "status" | "requestId" | "retryAfterMs">,
): Outcome =>
  fail(facts, {
    ...response,
    code: "UNEXPECTED_ANSWER",
    retryable: PASSING_STATUSES.has(response.status ?? 0),
  });

function explain(status: number): string {
  if (status >= 300 && status < 400) return "a redirect, which is not followed: check baseUrl";
  if (status < 300) return "the body is not JSON of this service: check baseUrl";
  return "an error of another server: a proxy answered, or baseUrl is wrong";
}

function fail(
  { operation, attempts, idempotencyKey }: CallFacts,
  fields: Omit<ExchangeErrorFields, "operation" | "attempts" | "idempotencyKey">,
): Outcome {
  const { status, code, requestId } = fields;
  const what = status === undefined ? code : `${status} ${code}`;
  const where = `${operation.method} ${operation.path}`;
  const named = requestId === undefined ? "" : ` (request ${requestId})`;
  const message = `${where}: ${what}: ${fields.message}${named}`;
  const error = new ExchangeError({
    ...fields,
    message,
    operation: operation.id,
    attempts,
    idempotencyKey,
  });
  return { ok: false, error };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
