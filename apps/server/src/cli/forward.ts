import { makeSigningKey, signatureHeaders } from "../webhooks/signatures.ts";

export interface ForwardedEvent {
  readonly id: string;
  readonly eventType: string;
  readonly orderId: bigint;
  readonly body: string;
  /** A test of the receiver. It does not belong to an order. */
  readonly isTest?: true;
}

const TIMEOUT_MS = 15_000;

/** Posts an event once from this machine, signed as the service signs. Returns the outcome in a few words. */
export async function forward(
  to: { readonly url: string; readonly secret: string },
  event: ForwardedEvent,
): Promise<string> {
  const startedAt = performance.now();
  const { id: webhookId, eventType, orderId, body } = event;
  const timestamp = Math.floor(Date.now() / 1_000);
  const fields = { webhookId, timestamp, eventType, orderId, body };
  const headers = {
    ...signatureHeaders({ current: makeSigningKey(to.secret) }, fields),
    "X-Webhook-Attempt": "1",
    ...(event.isTest && { "X-Webhook-Test": "true" }),
    "content-type": "application/json",
    "user-agent": "Exchange-Webhooks/1",
  };
  try {
    const response = await fetch(to.url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return `${response.status} in ${Math.round(performance.now() - startedAt)} ms`;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    return `failed: ${cause?.code ?? cause?.message ?? message}`;
  }
}
