/** The failures of a checkout. `true`: the same call may succeed later. */
const FAILURES = {
  session_used: false,
  unknown_client: false,
  origin_not_allowed: false,
  token_expired: false,
  token_invalid: false,
  token_unavailable: true,
  load_timeout: true,
  crashed: true,
  unsupported: true,
  popup_blocked: true,
  opener_severed: true,
} as const;

/** Why a call was refused or a checkout failed. */
export type ExchangeErrorCode = "invalid_options" | "not_configured" | keyof typeof FAILURES;

/** The error of a refused call or a failed checkout. Compare `code`. */
export interface ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the same call may succeed later. */
  readonly recoverable: boolean;
}

export const makeError = (
  code: ExchangeErrorCode,
  message: string,
  recoverable: boolean,
): ExchangeError => Object.assign(Error(message), { name: "ExchangeError", code, recoverable });

/** Returns the failure of that name. A newer checkout may end for other reasons. */
export const failureOf = (reason: string): ExchangeError | undefined => {
  if (!Object.hasOwn(FAILURES, reason)) return undefined;
  const code = reason as keyof typeof FAILURES;
  return makeError(code, `The checkout failed: ${code}.`, FAILURES[code]);
};

export const invalidOptions = (call: string, name: string): ExchangeError =>
  makeError("invalid_options", `exchange.${call}(): ${name} is not valid.`, false);
