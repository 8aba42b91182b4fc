import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";

/** What a webhook tells, as far as this shop needs it. */
export interface ExchangeWebhook {
  readonly id: string;
  /** Unix seconds when it was sent. */
  readonly sentAt: number;
  readonly eventType: string;
  readonly sessionId: string;
  readonly details: {
    readonly orderId: number;
    readonly status: string;
    readonly paymentMethod: string;
    readonly fulfilled: boolean;
    readonly totalPrice: number;
    readonly totalPriceCurrency: string;
  };
}

export type Verification =
  | { readonly ok: true; readonly webhook: ExchangeWebhook }
  | { readonly ok: false; readonly reason: string };

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came: a body that was parsed and written again has another signature. */
  readonly rawBody: Buffer;
  /** Unix seconds. */
  readonly now: number;
}

// #region verify
const MAX_AGE_SECONDS = 5 * 60;

/**
 * Checks a webhook before anything in it is believed: it is fresh, the documented signature is right,
 * and so is the standard one. The documented one covers `id.timestamp.eventType.orderId`; the standard
 * one covers every byte of the body.
 */
export function verifyWebhook(secret: string, received: ReceivedWebhook): Verification {
  const { headers, rawBody, now } = received;
  const id = header(headers, "x-webhook-id");
  const timestamp = header(headers, "x-webhook-timestamp");
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return refuse("a header is missing");
  if (Math.abs(now - Number(timestamp)) > MAX_AGE_SECONDS) return refuse("it is too old");

  const payload = readPayload(rawBody);
  if (payload === undefined) return refuse("the body is no webhook");
  const signed = `${id}.${timestamp}.${payload.eventType}.${payload.details.orderId}`;
  const expected = createHmac("sha256", secret).update(signed).digest("hex");
  if (!isSame(expected, header(headers, "x-webhook-signature").toLowerCase())) {
    return refuse("the signature is wrong");
  }
  try {
    new Webhook(secret).verify(rawBody, {
      "webhook-id": header(headers, "webhook-id"),
      "webhook-timestamp": header(headers, "webhook-timestamp"),
      "webhook-signature": header(headers, "webhook-signature"),
    });
  } catch {
    return refuse("the signature of the body is wrong");
  }
  return { ok: true, webhook: { id, sentAt: Number(timestamp), ...payload } };
}

const refuse = (reason: string): Verification => ({ ok: false, reason });

function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

/** Compares without telling, by the time it takes, how much was right. */
function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

// #endregion

function readPayload(rawBody: Buffer): Omit<ExchangeWebhook, "id" | "sentAt"> | undefined {
  try {
    const body = JSON.parse(rawBody.toString("utf8")) as Partial<ExchangeWebhook> | null;
    const isWebhook =
      typeof body?.eventType === "string" &&
      typeof body.sessionId === "string" &&
      Number.isSafeInteger(body.details?.orderId);
    if (!isWebhook) return undefined;
    const { eventType, sessionId, details } = body as ExchangeWebhook;
    return { eventType, sessionId, details };
  } catch {
    return undefined;
  }
}
