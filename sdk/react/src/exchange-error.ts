/** The script's own codes, and two for a script that did not load. */
const CODES = [
  // The page's own policy (CSP, Trusted Types) keeps exchange.js out.
  "script_blocked",
  // exchange.js did not load in time, or was something else.
  "script_failed",
  "invalid_options",
  "not_configured",
  "session_used",
  "unknown_client",
  "origin_not_allowed",
  "token_expired",
  "token_invalid",
  "token_unavailable",
  "load_timeout",
  "crashed",
  "unsupported",
  // Reported as an event; the checkout opens in a modal instead.
  "popup_blocked",
  "opener_severed",
] as const;
export type ExchangeErrorCode = (typeof CODES)[number];

/**
 * The reason for a missing checkout. It is an interface because errors come from more than one
 * script: compare `code`.
 */
export interface ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the customer may succeed by pressing again. */
  readonly recoverable: boolean;
}

const isCode = (code: unknown): code is ExchangeErrorCode => CODES.some((each) => each === code);

export function makeError(code: ExchangeErrorCode, message: string): ExchangeError {
  const error = Object.assign(new Error(message), { code, recoverable: code === "script_failed" });
  error.name = "ExchangeError";
  return error;
}

/** Converts anything that was thrown to an ExchangeError. */
export function toExchangeError(thrown: unknown): ExchangeError {
  if (thrown instanceof Error && "code" in thrown && isCode(thrown.code)) {
    return thrown as ExchangeError;
  }
  const error = makeError("crashed", "The checkout failed.");
  return Object.assign(error, { recoverable: true, cause: thrown });
}
