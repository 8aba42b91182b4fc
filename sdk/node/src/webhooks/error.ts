import { brandOf, isBranded } from "../brand.ts";

/**
 * The reason why a webhook is refused.
 *
 * - `body_not_raw`: the body is not bytes or text. A JSON parser has read it before.
 * - `missing_header`, `malformed_header`: the service did not send it, or a proxy changed it.
 * - `signature_mismatch`: another secret, a forgery, or a body that was changed on its way.
 * - `timestamp_too_old`, `timestamp_in_future`: the signature is valid, but the webhook is not
 *   recent. It is a replay, or one of the two clocks is wrong.
 * - `malformed_body`: the body is not a webhook from Exchange.
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

/** A webhook that cannot be trusted. Answer 400 and do nothing else. */
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
