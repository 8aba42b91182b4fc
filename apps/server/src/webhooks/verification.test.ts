import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeSigningKey, signatureHeaders } from "./signatures.ts";
import { type ReceivedRequest, type VerificationStep, verifyRequest } from "./verification.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY = makeSigningKey(SECRET);
const NOW = new Date("2026-01-31T12:00:00Z");
const BODY = '{"eventType":"OrderCreated",\n  "details":{"orderId":7}}';
const FIELDS = {
  webhookId: "6f1f2f0e-3c9b-4a55-9d0a-0d3c2f9d9c11",
  timestamp: NOW.getTime() / 1_000,
  eventType: "OrderCreated",
  orderId: 7n,
  body: BODY,
};

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const REQUEST: ReceivedRequest = {
  headers: lowerCase(signatureHeaders({ current: KEY }, FIELDS)),
  body: BODY,
};

const failedOf = (steps: readonly VerificationStep[]) =>
  steps.filter(({ ok }) => !ok).map(({ scheme, title }) => `${scheme}: ${title}`);
const detailsOf = (steps: readonly VerificationStep[]) =>
  steps.map(({ detail }) => detail).join("\n");

test("a genuine request passes every step, by both schemes", () => {
  const steps = verifyRequest(REQUEST, SECRET, NOW);
  expect(failedOf(steps)).toEqual([]);
  expect(new Set(steps.map(({ scheme }) => scheme))).toEqual(
    new Set(["both", "documented", "standard"]),
  );
});

test("during a rotation either secret passes by the standard, the previous one by the document", () => {
  const previous = "whsec_c2VjcmV0";
  const headers = lowerCase(
    signatureHeaders({ current: KEY, previous: makeSigningKey(previous) }, FIELDS),
  );
  expect(failedOf(verifyRequest({ headers, body: BODY }, previous, NOW))).toEqual([]);
  expect(failedOf(verifyRequest({ headers, body: BODY }, SECRET, NOW))).toEqual([
    "documented: signature",
  ]);
});

describe("names the step that fails, and its usual cause, when", () => {
  const STANDARD = "standard: signature";
  const DOCUMENTED = "documented: signature";
  const signedWith = (key: Buffer | string) => ({
    ...REQUEST.headers,
    "x-webhook-signature": createHmac("sha256", key)
      .update(`${FIELDS.webhookId}.${FIELDS.timestamp}.OrderCreated.7`)
      .digest("hex"),
  });
  const rewritten = {
    headers: lowerCase(
      signatureHeaders({ current: KEY }, { ...FIELDS, body: JSON.stringify(JSON.parse(BODY)) }),
    ),
    body: BODY,
  };
  const { "webhook-signature": _gone, ...unsigned } = REQUEST.headers;

  test.each<[string, ReceivedRequest, readonly string[], string]>([
    [
      "the body was changed",
      { ...REQUEST, body: BODY.replace("Created", "Updated") },
      [DOCUMENTED, STANDARD],
      "changed on the way",
    ],
    [
      "only an amount was changed",
      { ...REQUEST, body: BODY.replace("{", '{"totalPrice":1,') },
      [STANDARD],
      "changed on the way",
    ],
    ["white space was added", { ...REQUEST, body: `${BODY}\n` }, [STANDARD], "white space"],
    [
      "line ends were changed",
      { ...REQUEST, body: BODY.replace("\n", "\r\n") },
      [STANDARD],
      "lines ended by \\n",
    ],
    ["the body was parsed and serialized again", rewritten, [STANDARD], "serialized again as JSON"],
    [
      "the key was the decoded secret",
      {
        ...REQUEST,
        headers: signedWith(Buffer.from(SECRET.slice(6), "base64")),
      },
      [DOCUMENTED],
      "decoded secret",
    ],
    [
      "the key lacked its whsec_",
      { ...REQUEST, headers: signedWith(SECRET.slice(6)) },
      [DOCUMENTED],
      "without whsec_",
    ],
    [
      "a header is missing",
      { ...REQUEST, headers: unsigned },
      ["standard: headers"],
      "webhook-signature is missing",
    ],
    [
      "the list has no v1",
      { ...REQUEST, headers: { ...REQUEST.headers, "webhook-signature": "x" } },
      ["standard: list of signatures", STANDARD],
      'it is "x"',
    ],
    [
      "the body is not JSON",
      { ...REQUEST, body: "{" },
      ["documented: event", STANDARD],
      "not JSON with eventType",
    ],
  ])("%s", (_what, request, failed, words) => {
    const steps = verifyRequest(request, SECRET, NOW);
    expect(failedOf(steps)).toEqual(failed);
    expect(detailsOf(steps)).toContain(words);
  });

  test.each([
    ["old", 301, "301 s old"],
    ["of the future", -301, "301 s in the future"],
  ])("the request is %s", (_what, seconds, words) => {
    const later = new Date(NOW.getTime() + seconds * 1_000);
    const steps = verifyRequest(REQUEST, SECRET, later);
    expect(failedOf(steps)).toEqual(["documented: timestamp", "standard: timestamp"]);
    expect(detailsOf(steps)).toContain(words);
  });

  test("the secret is not one", () => {
    expect(failedOf(verifyRequest(REQUEST, "secret", NOW))).toEqual(["both: secret"]);
  });
});
