import type { CloseReason } from "@exchange/contract/frame";

/** The close reasons that are failures, and whether the same call may succeed when made again. */
const FAILURES = {
  session_used: false,
  token_expired: false,
  token_invalid: false,
  token_unavailable: true,
  load_timeout: true,
  crashed: true,
} as const satisfies Partial<Record<CloseReason, boolean>>;

/** Why a call was refused or a checkout failed. */
export type ExchangeErrorCode = "invalid_options" | keyof typeof FAILURES;

export class ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the same call may succeed when it is made again. */
  readonly recoverable: boolean;

  constructor(code: ExchangeErrorCode, message: string, options: { recoverable: boolean }) {
    super(message);
    this.name = "ExchangeError";
    this.code = code;
    this.recoverable = options.recoverable;
  }
}

export const failureOf = (reason: CloseReason): ExchangeError | undefined => {
  if (!Object.hasOwn(FAILURES, reason)) return undefined;
  const code = reason as keyof typeof FAILURES;
  return new ExchangeError(code, `The checkout failed: ${code}.`, { recoverable: FAILURES[code] });
};

export const invalidOptions = (message: string): ExchangeError =>
  new ExchangeError("invalid_options", message, { recoverable: false });
