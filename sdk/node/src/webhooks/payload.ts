import type { WebhookPayload } from "../generated/types.ts";
import { WebhookError } from "./error.ts";

/** Returns the raw bytes of a body. A body that was parsed and serialised again has other bytes. */
export function readBytes(body: unknown): Uint8Array {
  if (typeof body === "string") return Buffer.from(body, "utf8");
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookError(
    "body_not_raw",
    "Pass the received body as bytes or text, before any JSON parser reads it.",
  );
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a body of the service. Members and event types of a newer service are accepted. */
export function readPayload(bytes: Uint8Array): WebhookPayload {
  const payload = parse(bytes) as Partial<WebhookPayload> | null | undefined;
  const { eventType, sessionId, details } = payload ?? {};
  const isWebhook =
    typeof eventType === "string" &&
    /^[A-Za-z]{1,64}$/.test(eventType) &&
    typeof sessionId === "string" &&
    typeof details === "object" &&
    details !== null &&
    Number.isSafeInteger(details.orderId) &&
    details.orderId >= 0;
  if (isWebhook) return payload as WebhookPayload;
  throw new WebhookError(
    "malformed_body",
    "The body is not a webhook from Exchange. Pass it as it was received.",
  );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}
