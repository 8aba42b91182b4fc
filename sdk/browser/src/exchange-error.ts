/** The failures of a checkout; after those marked the same call may succeed when it is made again. */
const FAILURES = {
  session_used: false,
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

/** What a refused call throws, and what a failed checkout tells. Compare `code`. */
export interface ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the same call may succeed when it is made again. */
  readonly recoverable: boolean;
}

export const makeError = (
  code: ExchangeErrorCode,
  message: string,
  recoverable: boolean,
): ExchangeError => Object.assign(Error(message), { name: "ExchangeError", code, recoverable });

/** The failure of that name, if it is one: a newer checkout may have other reasons to end. */
export const failureOf = (reason: string): ExchangeError | undefined => {
  if (!Object.hasOwn(FAILURES, reason)) return undefined;
  const code = reason as keyof typeof FAILURES;
  return makeError(code, `The checkout failed: ${code}.`, FAILURES[code]);
};

export const invalidOptions = (call: string, name: string): ExchangeError =>
  makeError("invalid_options", `exchange.${call}(): ${name} is not valid.`, false);
