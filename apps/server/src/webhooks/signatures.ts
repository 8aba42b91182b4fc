import {
  type BinaryToTextEncoding,
  createHmac,
  createSecretKey,
  type KeyObject,
} from "node:crypto";
import { documentedSigningString, standardSigningString } from "@exchange/contract";
import { readWebhookSecret } from "../domain/webhooks/secret.ts";

/** The fields that both signatures of one attempt cover. The timestamp is real Unix time in seconds. */
export interface SignedFields {
  readonly webhookId: string;
  readonly timestamp: number;
  readonly eventType: string;
  readonly orderId: bigint;
  readonly body: string;
}

/** The two HMAC keys of one webhook secret. */
export interface SigningKey {
  readonly documented: KeyObject;
  readonly standard: KeyObject;
}

/**
 * The key of the documented signature is the whole secret string as UTF-8, that of Standard Webhooks the
 * decoded secret. Throws for text that is not a webhook secret.
 */
export function makeSigningKey(secret: string): SigningKey {
  const encoded = readWebhookSecret(secret);
  if (encoded === undefined) throw new Error("A webhook secret is whsec_ and base64.");
  return {
    documented: createSecretKey(secret, "utf8"),
    standard: createSecretKey(encoded, "base64"),
  };
}

/** The documented signature, in lowercase hex. It does not cover the body. */
export const documentedSignature = (key: SigningKey, fields: SignedFields): string =>
  hmac(key.documented, documentedSigningString(fields), "hex");

/** The Standard Webhooks signature: it covers the exact body. */
const standardSignature = (key: SigningKey, fields: SignedFields): string =>
  `v1,${hmac(key.standard, standardSigningString(fields), "base64")}`;

const hmac = (key: KeyObject, text: string, encoding: BinaryToTextEncoding): string =>
  createHmac("sha256", key).update(text).digest(encoding);

/** The keys of an endpoint that sign at this time. */
export interface SigningKeys {
  readonly current: SigningKey;
  /** The key before a rotation, while receivers may still use it. */
  readonly previous?: SigningKey | undefined;
}

/**
 * Returns the headers that prove a webhook's origin, for one attempt. The standard header lists a signature
 * of each secret. The documented header holds one signature. While the previous secret is valid it signs
 * there, so that a receiver that knows only the old secret keeps working.
 */
export function signatureHeaders(
  { current, previous }: SigningKeys,
  fields: SignedFields,
): Record<string, string> {
  const timestamp = String(fields.timestamp);
  const standard = standardSignature(current, fields);
  return {
    "X-Webhook-Id": fields.webhookId,
    "X-Webhook-Timestamp": timestamp,
    "X-Webhook-Signature": documentedSignature(previous ?? current, fields),
    "webhook-id": fields.webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature":
      previous === undefined ? standard : `${standard} ${standardSignature(previous, fields)}`,
  };
}
