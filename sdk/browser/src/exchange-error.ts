/** Each error code, and whether the same call may succeed later. */
const RECOVERABLE = {
  session_used: false,
  unknown_client: false,
  origin_not_allowed: false,
  token_expired: false,
  token_invalid: false,
  invalid_options: false,
  not_configured: true,
  token_unavailable: true,
  load_timeout: true,
  crashed: true,
  unsupported: true,
  popup_blocked: true,
  opener_severed: true,
} as const;

/** Why a call was refused or a checkout failed. */
export type ExchangeErrorCode = keyof typeof RECOVERABLE;

/** The error of a refused call or a failed checkout. Compare `code`. */
export interface ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the same call may succeed later. */
  readonly recoverable: boolean;
}

export const makeError = (code: ExchangeErrorCode, message: string): ExchangeError =>
  Object.assign(Error(message), { name: "ExchangeError", code, recoverable: RECOVERABLE[code] });

/** Returns the failure of that name. A newer checkout may end for other reasons. */
export const failureOf = (reason: string): ExchangeError | undefined =>
  Object.hasOwn(RECOVERABLE, reason)
    ? makeError(reason as ExchangeErrorCode, `The checkout failed: ${reason}.`)
    : undefined;

export const invalidOptions = (call: string, name: string): ExchangeError =>
  makeError("invalid_options", `exchange.${call}(): ${name} is not valid.`);
