import { createHmac } from "node:crypto";
import { documentedSigningString, standardSigningString } from "@exchange/contract";
import { readWebhookSecret } from "../domain/webhooks/secret.ts";

/** A received webhook. Header names are in lower case. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One step of verifying a webhook, in the order in which a receiver takes them. */
export interface VerificationStep {
  readonly scheme: "both" | "documented" | "standard";
  /** The part that is checked, such as "headers". */
  readonly title: string;
  readonly ok: boolean;
  /** The finding. A failed step adds the reason and the likely cause. */
  readonly detail: string;
}

const TOLERANCE_SECONDS = 300;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Verifies both signatures of a request, step by step. It continues after a failure as far as possible. */
export function verifyRequest(
  request: ReceivedRequest,
  secret: string,
  now: Date,
): readonly VerificationStep[] {
  const key = readWebhookSecret(secret);
  const secretStep = step("both", "secret", {
    ok: key !== undefined,
    detail:
      key === undefined
        ? "it is not whsec_ and base64. Copy it whole, as it was shown once"
        : "whsec_ and base64",
  });
  if (key === undefined) return [secretStep];
  return [
    secretStep,
    ...documentedSteps(request, secret, now),
    ...standardSteps(request, key, now),
  ];
}

const step = (
  scheme: VerificationStep["scheme"],
  title: string,
  found: { readonly ok: boolean; readonly detail: string },
): VerificationStep => ({ scheme, title, ...found });

function headersStep(
  scheme: VerificationStep["scheme"],
  names: readonly string[],
  headers: ReceivedRequest["headers"],
): VerificationStep {
  const missing = names.filter((name) => !headers[name]);
  const verb = missing.length === 1 ? "is" : "are";
  return step(scheme, "headers", {
    ok: missing.length === 0,
    detail: missing.length === 0 ? names.join(", ") : `${missing.join(", ")} ${verb} missing`,
  });
}

function timeStep(scheme: VerificationStep["scheme"], text: string, now: Date): VerificationStep {
  const age = Math.round(now.getTime() / 1_000) - Number(text);
  const isNumber = /^\d{1,12}$/.test(text);
  const ok = isNumber && Math.abs(age) <= TOLERANCE_SECONDS;
  const ageWords = age < 0 ? `${-age} s in the future` : `${age} s old`;
  return step(scheme, "timestamp", {
    ok,
    detail: isNumber
      ? `${ageWords}${ok ? "" : ", and 5 minutes are allowed: an old capture, or a clock that is wrong"}`
      : `"${text}" is not Unix time in seconds`,
  });
}

function documentedSteps(
  { headers, body }: ReceivedRequest,
  secret: string,
  now: Date,
): readonly VerificationStep[] {
  const names = ["x-webhook-id", "x-webhook-timestamp", "x-webhook-signature"] as const;
  const present = headersStep("documented", names, headers);
  if (!present.ok) return [present];
  const [id = "", timestamp = "", given = ""] = names.map((name) => headers[name]);
  const event = readEvent(body);
  const read = step("documented", "event", {
    ok: event !== undefined,
    detail: event
      ? `${event.eventType}, ${event.orderId}`
      : "the body is not JSON with eventType and details.orderId",
  });
  const steps = [present, timeStep("documented", timestamp, now), read];
  if (event === undefined) return steps;
  const signed = documentedSigningString({
    webhookId: id,
    timestamp: Number(timestamp),
    ...event,
  });
  const expected = hmac(secret, signed, "hex");
  const isSame = given.toLowerCase() === expected;
  const compared = step("documented", "signature", {
    ok: isSame,
    detail: isSame
      ? `the HMAC-SHA256 of "${signed}" in hex, with the whole secret as key`
      : `the HMAC-SHA256 of "${signed}" in hex is ${expected}; X-Webhook-Signature is ${given}. ${documentedCause({ given, signed, secret, id })}`,
  });
  return [...steps, compared];
}

function documentedCause(found: {
  readonly given: string;
  readonly signed: string;
  readonly secret: string;
  readonly id: string;
}): string {
  const { given, signed, secret, id } = found;
  const decoded = Buffer.from(secret.slice("whsec_".length), "base64");
  if (hmac(decoded, signed, "hex") === given.toLowerCase()) {
    return "It was made with the decoded secret: the key is the whole string, whsec_ included.";
  }
  if (hmac(secret.slice("whsec_".length), signed, "hex") === given.toLowerCase()) {
    return "It was made without whsec_: the key is the whole string.";
  }
  if (!UUID.test(id)) return "X-Webhook-Id is not a UUID: was it changed on the way?";
  return "Another endpoint's secret, one that was rotated, or a value that was changed on the way.";
}

function standardSteps(
  { headers, body }: ReceivedRequest,
  key: string,
  now: Date,
): readonly VerificationStep[] {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
  const present = headersStep("standard", names, headers);
  if (!present.ok) return [present];
  const [webhookId = "", timestamp = "", list = ""] = names.map((name) => headers[name]);
  const given = list.split(" ").filter((one) => one.startsWith("v1,"));
  const listed = step("standard", "list of signatures", {
    ok: given.length > 0,
    detail:
      given.length > 0 ? `${given.length} of v1` : `webhook-signature has no v1,…: it is "${list}"`,
  });
  const decoded = Buffer.from(key, "base64");
  const signatureOf = (text: string): string => {
    const signed = { webhookId, timestamp: Number(timestamp), body: text };
    return `v1,${hmac(decoded, standardSigningString(signed), "base64")}`;
  };
  const isSame = given.includes(signatureOf(body));
  const compared = step("standard", "signature", {
    ok: isSame,
    detail: isSame
      ? `the HMAC-SHA256 of id.timestamp.body over the ${Buffer.byteLength(body)} bytes of the body, with the decoded secret as key`
      : `the HMAC-SHA256 of id.timestamp.body is ${signatureOf(body)}, which webhook-signature does not have. ${standardCause(body, (text) => given.includes(signatureOf(text)))}`,
  });
  return [present, timeStep("standard", timestamp, now), listed, compared];
}

/** Tries the usual ways in which a body is changed before it is verified. */
function standardCause(body: string, holds: (body: string) => boolean): string {
  const attempts: readonly (readonly [string, () => string])[] = [
    ["It holds without white space around the body", () => body.trim()],
    ["It holds with lines ended by \\n alone", () => body.replaceAll("\r\n", "\n")],
    [
      "It holds for the body parsed and serialized again as JSON",
      () => JSON.stringify(JSON.parse(body)),
    ],
  ];
  for (const [sentence, change] of attempts) {
    try {
      if (holds(change())) return `${sentence}: verify the bytes as received, before any parser.`;
    } catch {
      // The body is not JSON, so it cannot have been serialized again.
    }
  }
  return "Another endpoint's secret, or a body that was changed on the way.";
}

function readEvent(
  body: string,
): { readonly eventType: string; readonly orderId: bigint } | undefined {
  try {
    const event = JSON.parse(body) as { eventType?: unknown; details?: { orderId?: unknown } };
    const orderId = event.details?.orderId;
    if (typeof event.eventType !== "string" || !Number.isSafeInteger(orderId)) return undefined;
    return { eventType: event.eventType, orderId: BigInt(orderId as number) };
  } catch {
    return undefined;
  }
}

const hmac = (key: string | Buffer, text: string, encoding: "hex" | "base64"): string =>
  createHmac("sha256", key).update(text).digest(encoding);
