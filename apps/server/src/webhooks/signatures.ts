import { createHmac } from "node:crypto";
import { documentedSigningString, standardSigningString } from "@exchange/contract";

/** What both signatures of one attempt cover. The timestamp is real Unix time in seconds. */
export interface SignedFields {
  readonly webhookId: string;
  readonly timestamp: number;
  readonly eventType: string;
  readonly orderId: bigint;
  readonly body: string;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The documented signature: lowercase hex, the key is the whole secret string as UTF-8. */
export const documentedSignature = (secret: string, fields: SignedFields): string =>
  createHmac("sha256", Buffer.from(secret, "utf8"))
    .update(documentedSigningString(fields))
    .digest("hex");

/** The Standard Webhooks signature: it covers the exact body, the key is the decoded secret. */
export function standardSignature(secret: string, fields: SignedFields): string {
  const key = SECRET.exec(secret)?.[1];
  if (key === undefined) throw new Error("A webhook secret is whsec_ and base64.");
  const digest = createHmac("sha256", Buffer.from(key, "base64"))
    .update(standardSigningString(fields))
    .digest("base64");
  return `v1,${digest}`;
}

/** The secrets of an endpoint that sign now, in clear. */
export interface SigningSecrets {
  readonly current: string;
  /** The one before a rotation, while receivers may still hold it. */
  readonly previous?: string | undefined;
}

/**
 * The headers that prove where a webhook comes from, made anew for each attempt. The standard header
 * has room for a signature of each secret. The documented one has not: as long as the previous secret
 * holds it signs there, because a receiver that knows only the old secret must go on.
 */
export function signatureHeaders(
  secrets: SigningSecrets,
  fields: SignedFields,
): Record<string, string> {
  const { current, previous } = secrets;
  const timestamp = String(fields.timestamp);
  const standard = [current, ...(previous === undefined ? [] : [previous])];
  return {
    "X-Webhook-Id": fields.webhookId,
    "X-Webhook-Timestamp": timestamp,
    "X-Webhook-Signature": documentedSignature(previous ?? current, fields),
    "webhook-id": fields.webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.map((secret) => standardSignature(secret, fields)).join(" "),
  };
}
