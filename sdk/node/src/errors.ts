import { brandOf, isBranded } from "./brand.ts";
import type { ErrorCode, ErrorDetail } from "./generated/types.ts";

/**
 * What the client itself has to say: no answer in time, no answer at all, or an answer that is not
 * the service's.
 */
export type ClientErrorCode = "TIMEOUT" | "CONNECTION_FAILED" | "UNEXPECTED_ANSWER";

export interface ExchangeErrorFields {
  readonly message: string;
  /** A newer service may answer with codes this version does not know. */
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

/** A call that did not succeed. It never holds credentials, addresses or anything you sent. */
export class ExchangeError extends Error {
  /** Part of the interface, unlike the message: decide by it. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The operationId of the endpoint. */
  readonly operation: string;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Names this request in the service's logs. */
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** The same call, unchanged, may succeed later. A POST then wants the same `idempotencyKey`. */
  readonly retryable: boolean;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** How many tries were made. */
  readonly attempts: number;
  /** The key a POST carried on every try. */
  readonly idempotencyKey: string | undefined;
  /** The whole error body, for members of one code only, such as `quote` of `QUOTE_EXPIRED`. */
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
