import { WebhookError } from "./error.ts";

/** Headers as in Node, in any letter case, or as in `Request`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The three headers of one signature. */
export interface SignatureHeaders {
  readonly id: string;
  /** Unix seconds, as it was signed. */
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

const SIGNATURES_MAX = 16;

export const readStandardHeaders = (headers: WebhookHeaders): SignatureHeaders => ({
  ...readIdAndTimestamp(headers, "webhook-"),
  signatures: requireHeader(headers, "webhook-signature").split(" ").slice(0, SIGNATURES_MAX),
});

/** The documented signature may be in capitals. */
export const readDocumentedHeaders = (headers: WebhookHeaders): SignatureHeaders => ({
  ...readIdAndTimestamp(headers, "x-webhook-"),
  signatures: [requireHeader(headers, "x-webhook-signature").toLowerCase()],
});

/** `X-Webhook-Attempt`, which no signature covers. */
export function readAttempt(headers: WebhookHeaders): number | undefined {
  const text = readHeader(headers, "x-webhook-attempt");
  return typeof text === "string" && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function readIdAndTimestamp(
  headers: WebhookHeaders,
  prefix: string,
): Pick<SignatureHeaders, "id" | "timestamp"> {
  const id = requireHeader(headers, `${prefix}id`);
  const timestamp = requireHeader(headers, `${prefix}timestamp`);
  // Without a period in the id, the signed text is unambiguous.
  if (!/^[\w-]{1,128}$/.test(id)) throw malformed(`${prefix}id`);
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed(`${prefix}timestamp`);
  return { id, timestamp };
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name);
  if (value === undefined || value === null || value === "") {
    throw new WebhookError(
      "missing_header",
      `The header ${name} is missing. Pass all headers of the request.`,
    );
  }
  if (typeof value !== "string") throw malformed(name);
  return value;
}

function readHeader(headers: WebhookHeaders, name: string): unknown {
  if (typeof headers.get === "function") return headers.get(name);
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  // The same header twice, in different letter case, is as ambiguous as a list.
  return found.length > 1 ? found : found[0]?.[1];
}

const malformed = (name: string): WebhookError =>
  new WebhookError(
    "malformed_header",
    `The header ${name} is malformed. Pass it as it was received.`,
  );
