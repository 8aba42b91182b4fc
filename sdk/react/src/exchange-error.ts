/** The script's own codes, and two for a script that did not come. */
const CODES = [
  // The page's own policy (CSP, Trusted Types) keeps exchange.js out.
  "script_blocked",
  // exchange.js was not answered, not in time, or was something else.
  "script_failed",
  "invalid_options",
  "not_configured",
  "session_used",
  "token_expired",
  "token_invalid",
  "token_unavailable",
  "load_timeout",
  "crashed",
  "unsupported",
  // Told as an event; the checkout goes on in a modal.
  "popup_blocked",
  "opener_severed",
] as const;
export type ExchangeErrorCode = (typeof CODES)[number];

/** Why there is no checkout. An interface, as the errors come from more than one script: compare `code`. */
export interface ExchangeError extends Error {
  readonly code: ExchangeErrorCode;
  /** Whether the customer may succeed by pressing again. */
  readonly recoverable: boolean;
}

const isCode = (code: unknown): code is ExchangeErrorCode => CODES.some((known) => known === code);

export function makeError(code: ExchangeErrorCode, message: string): ExchangeError {
  const error = Object.assign(new Error(message), { code, recoverable: code === "script_failed" });
  error.name = "ExchangeError";
  return error;
}

/** Whatever was thrown, as an error of ours. */
export function toExchangeError(thrown: unknown): ExchangeError {
  if (thrown instanceof Error && "code" in thrown && isCode(thrown.code)) {
    return thrown as ExchangeError;
  }
  const error = makeError("crashed", "The checkout failed.");
  return Object.assign(error, { recoverable: true, cause: thrown });
}
