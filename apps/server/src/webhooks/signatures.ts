import { documentedSigningString, standardSigningString } from "@exchange/contract";
import { type Hmac, makeHmac } from "../secrets/hmac.ts";

/** What both signatures of one attempt cover. The timestamp is real Unix time in seconds. */
export interface SignedFields {
  readonly webhookId: string;
  readonly timestamp: number;
  readonly eventType: string;
  readonly orderId: bigint;
  readonly body: string;
}

/** A secret that is ready to sign. */
export interface SigningKey {
  readonly documented: Hmac;
  readonly standard: Hmac;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The key of the documented signature is the whole secret string as UTF-8, that of Standard Webhooks the
 * decoded secret. Throws for a text that is no secret.
 */
export function makeSigningKey(secret: string): SigningKey {
  const encoded = SECRET.exec(secret)?.[1];
  if (encoded === undefined) throw new Error("A webhook secret is whsec_ and base64.");
  return {
    documented: makeHmac(Buffer.from(secret, "utf8")),
    standard: makeHmac(Buffer.from(encoded, "base64")),
  };
}

/** The documented signature, in lowercase hex. It does not cover the body. */
export const documentedSignature = (key: SigningKey, fields: SignedFields): string =>
  key.documented(documentedSigningString(fields), "hex");

/** The Standard Webhooks signature: it covers the exact body. */
const standardSignature = (key: SigningKey, fields: SignedFields): string =>
  `v1,${key.standard(standardSigningString(fields), "base64")}`;

/** The keys of an endpoint that sign now. */
export interface SigningKeys {
  readonly current: SigningKey;
  /** The one before a rotation, while receivers may still hold it. */
  readonly previous?: SigningKey | undefined;
}

/**
 * The headers that prove where a webhook comes from, made anew for each attempt. The standard header
 * has room for a signature of each secret. The documented one has not: as long as the previous secret
 * holds it signs there, because a receiver that knows only the old secret must go on.
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
