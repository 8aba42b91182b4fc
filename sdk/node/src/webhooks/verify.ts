import type { WebhookPayload } from "../generated/types.ts";
import { WebhookError } from "./error.ts";
import {
  readAttempt,
  readDocumentedHeaders,
  readStandardHeaders,
  type SignatureHeaders,
  type WebhookHeaders,
} from "./headers.ts";
import { readBytes, readPayload } from "./payload.ts";
import { readSecrets, type SecretKeys } from "./secrets.ts";
import { documentedSignature, hasAnySignature, standardSignature } from "./signatures.ts";

/**
 * The signature to verify. `standard` covers every byte of the body. `documented` covers id,
 * timestamp, event type and order id only: read the order before you act on an amount. `both`
 * requires both signatures, of the same delivery.
 */
export type WebhookScheme = "standard" | "documented" | "both";

export interface VerifyRequest {
  /** The received bytes, before any JSON parser. */
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly headers: WebhookHeaders;
  /** The endpoint's secret; during a rotation, all valid secrets. */
  readonly secret: string | readonly string[];
  /** Default: `standard`. There is no fallback from one to the other. */
  readonly scheme?: WebhookScheme | undefined;
  /** Maximum distance of the timestamp from now, in the past or the future. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: now. */
  readonly now?: Date | undefined;
}

/** A verified webhook. */
export interface WebhookEvent extends WebhookPayload {
  /** The same on every attempt. Store it, and handle each id once. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly sentAt: number;
  /** 1 for the first. No signature covers it. */
  readonly attempt: number | undefined;
  /** Sent by `webhookEndpoints.test`; it is not about an order. */
  readonly isTest: boolean;
  /**
   * False if only `documented` was verified: then only id, sentAt, eventType and orderId are
   * proven.
   */
  readonly isBodyProven: boolean;
}

const TOLERANCE_SECONDS_DEFAULT = 300;

/**
 * Returns the webhook if its signature is valid and its timestamp is recent. Throws a
 * `WebhookError` with the reason otherwise, and a TypeError for invalid arguments.
 */
export function verifyWebhook(request: VerifyRequest): WebhookEvent {
  const { headers, scheme = "standard" } = request;
  const secrets = readSecrets(request.secret);
  const bytes = readBytes(request.body);
  const prove = Object.hasOwn(PROOFS, scheme) ? PROOFS[scheme] : undefined;
  if (prove === undefined) throw new TypeError("scheme must be standard, documented or both.");
  const proven = prove(headers, { bytes, secrets });
  requireFresh(proven.timestamp, request);
  const payload = readPayload(bytes);
  return {
    ...payload,
    id: proven.id,
    sentAt: Number(proven.timestamp),
    attempt: readAttempt(headers),
    isTest: payload.details.orderId === 0,
    isBodyProven: scheme !== "documented",
  };
}

interface Proof {
  readonly bytes: Uint8Array;
  readonly secrets: readonly SecretKeys[];
}

function proveStandard(headers: WebhookHeaders, { bytes, secrets }: Proof): SignatureHeaders {
  const received = readStandardHeaders(headers);
  const fields = { id: received.id, timestamp: received.timestamp, body: bytes };
  const expected = secrets.map(({ standard }) => standardSignature(standard, fields));
  if (!hasAnySignature(expected, received.signatures)) throw mismatch("webhook-signature");
  return received;
}

function proveDocumented(headers: WebhookHeaders, { bytes, secrets }: Proof): SignatureHeaders {
  const received = readDocumentedHeaders(headers);
  const { eventType, details } = readPayload(bytes);
  const { id, timestamp } = received;
  const fields = { id, timestamp, eventType, orderId: details.orderId };
  const expected = secrets.map(({ documented }) => documentedSignature(documented, fields));
  if (!hasAnySignature(expected, received.signatures)) throw mismatch("x-webhook-signature");
  return received;
}

function proveBoth(headers: WebhookHeaders, proof: Proof): SignatureHeaders {
  const received = proveStandard(headers, proof);
  const other = proveDocumented(headers, proof);
  if (other.id === received.id && other.timestamp === received.timestamp) return received;
  throw mismatch("x-webhook-signature");
}

const PROOFS: Readonly<
  Record<WebhookScheme, (headers: WebhookHeaders, proof: Proof) => SignatureHeaders>
> = { standard: proveStandard, documented: proveDocumented, both: proveBoth };

const mismatch = (name: string): WebhookError =>
  new WebhookError(
    "signature_mismatch",
    `The signature in ${name} matches no secret that you passed. Pass this endpoint's secret, and the body before any parser reads it. Otherwise the webhook is a forgery.`,
  );

function requireFresh(timestamp: string, { toleranceSeconds, now }: VerifyRequest): void {
  const tolerance = toleranceSeconds ?? TOLERANCE_SECONDS_DEFAULT;
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw new TypeError("toleranceSeconds must be 0 or more.");
  }
  const age = Math.floor((now?.getTime() ?? Date.now()) / 1000) - Number(timestamp);
  if (age > tolerance) {
    throw new WebhookError(
      "timestamp_too_old",
      `The webhook was signed ${age} seconds ago. At most ${tolerance} are accepted. Check this server's clock.`,
    );
  }
  if (-age > tolerance) {
    throw new WebhookError(
      "timestamp_in_future",
      `The webhook's timestamp is ${-age} seconds in the future. Check this server's clock.`,
    );
  }
}
