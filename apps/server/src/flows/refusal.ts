import { ADMIN_ERRORS, type AdminErrorCode, API_ERRORS, type ErrorCode } from "@exchange/contract";
import type { Money } from "@exchange/money";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";

export interface RefusalDetail {
  /** The member of the command that was refused, such as `payout.iban`. */
  readonly field?: string;
  /** A place outside of the body, such as a header or the query; only HTTP code names one. */
  readonly path?: string;
  readonly issue?: string;
  readonly min?: Money;
  readonly max?: Money;
  readonly currencyCode?: string;
  readonly boundBy?: string;
}

/** Every code of the API and of the console's calls, with its status and its message. */
const ERRORS = { ...API_ERRORS, ...ADMIN_ERRORS };

export const statusOf = (code: ErrorCode | AdminErrorCode): number => ERRORS[code].status;

/** A command was refused: an expected outcome with a code of the error catalogue. */
export class Refusal extends Error {
  readonly code: ErrorCode | AdminErrorCode;
  readonly details: readonly RefusalDetail[] | undefined;
  /** Further members of the error body, such as the fresh `quote` of QUOTE_EXPIRED. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  /** Members of the security log's line. They are never in the answer. */
  readonly logged: Readonly<Record<string, string | undefined>> | undefined;

  constructor(
    code: ErrorCode | AdminErrorCode,
    options: {
      readonly message?: string;
      readonly details?: readonly RefusalDetail[];
      readonly extra?: Readonly<Record<string, unknown>>;
      readonly logged?: Readonly<Record<string, string | undefined>>;
    } = {},
  ) {
    super(options.message ?? ERRORS[code].message);
    this.name = "Refusal";
    this.code = code;
    this.details = options.details;
    this.extra = options.extra;
    this.logged = options.logged;
  }
}

/** Returns whether a command failed because the database is away or overloaded, so that it may be repeated. */
export const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
