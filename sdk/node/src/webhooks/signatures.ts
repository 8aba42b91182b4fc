import { createHmac, timingSafeEqual } from "node:crypto";

export interface DocumentedFields {
  readonly id: string;
  readonly timestamp: string;
  readonly eventType: string;
  readonly orderId: number;
}

export interface StandardFields {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** `X-Webhook-Signature`: lower-case hex over `id.timestamp.eventType.orderId`. */
export const documentedSignature = (key: Uint8Array, fields: DocumentedFields): string =>
  createHmac("sha256", key)
    .update(`${fields.id}.${fields.timestamp}.${fields.eventType}.${fields.orderId}`)
    .digest("hex");

/** One item of `webhook-signature`: `v1,` and base64 over `id.timestamp.body`, to the byte. */
export const standardSignature = (key: Uint8Array, fields: StandardFields): string =>
  `v1,${createHmac("sha256", key)
    .update(`${fields.id}.${fields.timestamp}.`)
    .update(fields.body)
    .digest("base64")}`;

/**
 * Whether the request has any of the expected signatures. It compares every pair, each in constant
 * time: the duration reveals nothing about how much of a forgery was right. It compares texts, not
 * decoded bytes, because base64 has several texts for the same bytes.
 */
export function hasAnySignature(expected: readonly string[], received: readonly string[]): boolean {
  let found = 0;
  for (const right of expected) {
    for (const candidate of received) found |= Number(isSame(right, candidate));
  }
  return found === 1;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "utf8"), Buffer.from(right, "utf8")];
  return a.length === b.length && timingSafeEqual(a, b);
}
