import { brandOf, isBranded } from "./brand.ts";
import type { ErrorCode, ErrorDetail } from "./generated/types.ts";

/**
 * Codes of the client itself: no answer in time, no answer at all, or an answer that is not from
 * the service.
 */
export type ClientErrorCode = "TIMEOUT" | "CONNECTION_FAILED" | "UNEXPECTED_ANSWER";

export interface ExchangeErrorFields {
  readonly message: string;
  /** A newer service may answer with codes that this version does not know. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly operation: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly attempts: number;
  readonly idempotencyKey?: string | undefined;
  readonly body?: unknown;
}

const BRAND = brandOf("error");

/** A failed call. It never contains credentials, addresses or anything you sent. */
export class ExchangeError extends Error {
  /** The code is part of the interface, the message is not: compare the code. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The operationId of the endpoint. */
  readonly operation: string;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Identifies this request in the service's logs. */
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** Whether the same call may succeed later. Repeat a POST with the same `idempotencyKey`. */
  readonly retryable: boolean;
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | undefined;
  /** Number of attempts. */
  readonly attempts: number;
  /** The key that every attempt of a POST carried. */
  readonly idempotencyKey: string | undefined;
  /** The whole error body, for members of a single code such as `quote` of `QUOTE_EXPIRED`. */
  readonly body: unknown;

  constructor(fields: ExchangeErrorFields) {
    super(fields.message);
    this.name = "ExchangeError";
    this.code = fields.code;
    this.operation = fields.operation;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.details = fields.details ?? [];
    this.retryable = fields.retryable;
    this.retryAfterMs = fields.retryAfterMs;
    this.attempts = fields.attempts;
    this.idempotencyKey = fields.idempotencyKey;
    this.body = fields.body;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, BRAND);
  }
}
