import { brandOf, isBranded } from "../brand.ts";

/**
 * Why a webhook is refused.
 *
 * - `body_not_raw`: the body is no bytes or text: a JSON parser was there before.
 * - `missing_header`, `malformed_header`: not from the service, or a proxy dropped or changed it.
 * - `signature_mismatch`: another secret, a forgery, or a body that was changed on its way.
 * - `timestamp_too_old`, `timestamp_in_future`: rightly signed, but not sent just now: a replay, or
 *   one of the two clocks is wrong.
 * - `malformed_body`: the body is no webhook of the service.
 */
export type WebhookFailure =
  | "body_not_raw"
  | "missing_header"
  | "malformed_header"
  | "signature_mismatch"
  | "timestamp_too_old"
  | "timestamp_in_future"
  | "malformed_body";

const BRAND = brandOf("webhook-error");

/** A webhook that must not be believed. Answer 400 and do nothing else. */
export class WebhookError extends Error {
  readonly reason: WebhookFailure;

  constructor(reason: WebhookFailure, message: string) {
    super(message);
    this.name = "WebhookError";
    this.reason = reason;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value, BRAND);
  }
}
