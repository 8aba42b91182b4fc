import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { WebhookError } from "./error.ts";
import type { VerifyRequest, WebhookEvent } from "./verify.ts";
import { webhooks } from "./webhooks.ts";

const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const SECRET = secretOf(7);
const OTHER = secretOf(8);
const SENT_AT = new Date("2030-01-01T00:00:00Z");
const SCHEMES = ["standard", "documented", "both"] as const;

const payload = webhooks.testPayload("OrderFulfillment", { sessionId: "cart-1042" });
const signed = webhooks.signForTest({ secret: SECRET, payload, sentAt: SENT_AT });

const verify = (own: Partial<VerifyRequest> = {}): WebhookEvent =>
  webhooks.verify({ ...signed, secret: SECRET, now: SENT_AT, ...own });

/** Returns why it is refused, or undefined if it is accepted. */
function reasonOf(own: Partial<VerifyRequest>): string | undefined {
  try {
    verify(own);
    return undefined;
  } catch (error) {
    if (error instanceof WebhookError) return error.reason;
    throw error;
  }
}

const withHeader = (name: string, value: string | undefined) => ({
  ...signed.headers,
  [name]: value,
});

describe("fixed vectors", () => {
  // Made with openssl: printf '%s' "$TEXT" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY
  const body =
    '{"eventType":"OrderCreated","sessionId":"cart-1042","details":{"orderId":4503600371122,"status":"awaiting_payment","paymentMethod":"Credit or debit card","fulfilled":false,"totalPrice":100,"totalPriceCurrency":"CAD","exchangeDetails":{"baseCurrency":"CAD","amountReceived":100,"targetCurrency":"BTC","amountToSend":0.00071234,"operationType":"B"}}}';
  const id = "0192f0c1-7c2e-7b4e-9a55-0242ac120002";
  const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  const now = new Date(1_900_000_000_000);
  const documented = { "X-Webhook-Id": id, "X-Webhook-Timestamp": "1900000000" };
  const standard = { "webhook-id": id, "webhook-timestamp": "1900000000" };

  test("the documented signature's key is the whole secret as UTF-8", () => {
    const signature = "43bcb827153fc19e9b1507d7a70f9191f0f7b6680cc640664f86d73ccc7a5111";
    const headers = { ...documented, "X-Webhook-Signature": signature };
    const request = { body, headers, secret, now, scheme: "documented" } as const;
    expect(webhooks.verify(request)).toMatchObject({ id, isBodyProven: false });
    const capitals = { ...documented, "X-Webhook-Signature": signature.toUpperCase() };
    expect(webhooks.verify({ ...request, headers: capitals }).id).toBe(id);
  });

  test("the standard signature's key is the decoded base64", () => {
    const headers = {
      ...standard,
      "webhook-signature": "v1,0l9RuwAPtrnQ9mPlX6esqR3AsXA1D46squVnWnIRhjM=",
    };
    const event = webhooks.verify({ body, headers, secret, now });
    expect(event).toMatchObject({ id, sentAt: 1_900_000_000, isBodyProven: true });
  });
});

describe("a webhook of the service", () => {
  test.each(SCHEMES)("is believed by %s, whatever holds its bytes and headers", (scheme) => {
    const bytes = Buffer.from(signed.body);
    const capitals = Object.entries(signed.headers).map(([name, value]) => [
      name.toUpperCase(),
      value,
    ]);
    const bodies = [signed.body, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer];
    const headers = [signed.headers, Object.fromEntries(capitals), new Headers(signed.headers)];
    for (const body of bodies) {
      for (const given of headers) {
        expect(verify({ body, headers: given, scheme })).toEqual({
          ...payload,
          id: signed.headers["webhook-id"],
          sentAt: SENT_AT.getTime() / 1000,
          attempt: 1,
          isTest: false,
          isBodyProven: scheme !== "documented",
        });
      }
    }
  });

  test("can be had in the argument order of other libraries", () => {
    const now = webhooks.signForTest({ secret: SECRET, payload });
    const event = webhooks.constructEvent(now.body, now.headers, SECRET);
    expect(event.details.orderId).toBe(payload.details.orderId);
    expect(() => webhooks.constructEvent(now.body, now.headers, OTHER)).toThrow(WebhookError);
  });

  test("is compatible with Standard Webhooks libraries", () => {
    const now = webhooks.signForTest({ secret: [SECRET, OTHER], payload });
    for (const secret of [SECRET, OTHER]) {
      expect(new Webhook(secret).verify(now.body, now.headers)).toEqual(payload);
    }
    const id = "msg-1";
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(SENT_AT.getTime() / 1000),
      "webhook-signature": new Webhook(SECRET).sign(id, SENT_AT, signed.body),
    };
    expect(verify({ headers }).id).toBe(id);
  });

  test("that tries the endpoint says so", () => {
    const test = webhooks.testPayload("OrderCreated", { details: { orderId: 0 } });
    const { body, headers } = webhooks.signForTest({ secret: SECRET, payload: test, attempt: 3 });
    const event = webhooks.verify({ body, headers, secret: SECRET, scheme: "both" });
    expect(event).toMatchObject({ isTest: true, attempt: 3 });
  });

  test("of a type and with members that this version does not know is let through", () => {
    const text = JSON.stringify({ ...payload, eventType: "OrderTeleported", more: [1] });
    const later = webhooks.signForTest({ secret: SECRET, payload: text, sentAt: SENT_AT });
    expect(verify(later)).toMatchObject({ eventType: "OrderTeleported", more: [1] });
  });
});

describe("while a secret is rotated", () => {
  test.each(SCHEMES)("a receiver with both secrets believes either, by %s", (scheme) => {
    const newer = webhooks.signForTest({ secret: OTHER, payload, sentAt: SENT_AT });
    const secret = [SECRET, OTHER];
    expect(verify({ secret, scheme }).id).toBe(signed.headers["webhook-id"]);
    expect(verify({ ...newer, secret, scheme }).id).toBe(newer.headers["webhook-id"]);
  });

  test("a receiver with either secret accepts a webhook signed with both", () => {
    const both = webhooks.signForTest({ secret: [SECRET, OTHER], payload, sentAt: SENT_AT });
    expect(verify({ ...both, secret: SECRET, scheme: "both" }).isBodyProven).toBe(true);
    expect(verify({ ...both, secret: OTHER }).isBodyProven).toBe(true);
  });

  test.each(SCHEMES)("neither secret believes a third, by %s", (scheme) => {
    const forged = webhooks.signForTest({ secret: secretOf(9), payload, sentAt: SENT_AT });
    const reason = reasonOf({ ...forged, secret: [SECRET, OTHER], scheme });
    expect(reason).toBe("signature_mismatch");
  });
});

describe("time", () => {
  const after = (seconds: number) => new Date(SENT_AT.getTime() + seconds * 1000);

  test.each([
    [0, undefined],
    [300, undefined],
    [301, "timestamp_too_old"],
    [-300, undefined],
    [-301, "timestamp_in_future"],
  ])("a webhook received %i s after it was sent: %s", (seconds, reason) => {
    for (const scheme of SCHEMES) expect(reasonOf({ now: after(seconds), scheme })).toBe(reason);
  });

  test("the tolerance can be lowered, and a negative one is refused", () => {
    expect(reasonOf({ now: after(11), toleranceSeconds: 10 })).toBe("timestamp_too_old");
    expect(() => verify({ toleranceSeconds: Number.NaN })).toThrow(TypeError);
    expect(() => verify({ toleranceSeconds: -1 })).toThrow(TypeError);
  });

  test("only a validly signed webhook is refused as late", () => {
    expect(reasonOf({ now: after(9_999), secret: OTHER })).toBe("signature_mismatch");
  });
});

describe("refused webhooks", () => {
  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "a webhook without %s, though the other signature is right",
    (name) => {
      expect(reasonOf({ headers: withHeader(name, undefined) })).toBe("missing_header");
      expect(reasonOf({ headers: withHeader(name, "") })).toBe("missing_header");
      const documented = withHeader(`x-${name}`, undefined);
      expect(reasonOf({ headers: documented, scheme: "documented" })).toBe("missing_header");
      expect(reasonOf({ headers: documented, scheme: "both" })).toBe("missing_header");
    },
  );

  test.each([
    ["webhook-id", "a.b"],
    ["webhook-id", "a, b"],
    ["webhook-timestamp", "1e9"],
    ["webhook-timestamp", "-1"],
    ["webhook-timestamp", "1900000000.5"],
  ])("the header %s: %s", (name, value) => {
    expect(reasonOf({ headers: withHeader(name, value) })).toBe("malformed_header");
  });

  test("a header that came twice", () => {
    const twice = { ...signed.headers, "webhook-id": ["a", "b"] };
    expect(reasonOf({ headers: twice })).toBe("malformed_header");
    const letters = { ...signed.headers, "Webhook-Id": "other" };
    expect(reasonOf({ headers: letters })).toBe("malformed_header");
  });

  test("a body that a parser had before", () => {
    expect(reasonOf({ body: payload as unknown as string })).toBe("body_not_raw");
    expect(reasonOf({ body: undefined as unknown as string })).toBe("body_not_raw");
    expect(reasonOf({ body: JSON.stringify(payload, null, 1) })).toBe("signature_mismatch");
  });

  test.each([
    "null",
    "[]",
    "{}",
    "not json",
    '{"eventType":"OrderCreated","sessionId":"s","details":null}',
    '{"eventType":"OrderCreated","sessionId":"s","details":{"orderId":"1"}}',
    '{"eventType":"OrderCreated","sessionId":"s","details":{"orderId":1.5}}',
    '{"eventType":"Order.Created","sessionId":"s","details":{"orderId":1}}',
  ])("a validly signed body that is not a webhook: %s", (body) => {
    const id = "msg-1";
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(SENT_AT.getTime() / 1000),
      "webhook-signature": new Webhook(SECRET).sign(id, SENT_AT, body),
    };
    expect(reasonOf({ body, headers })).toBe("malformed_body");
  });

  test("validly signed bytes that are not UTF-8", () => {
    const body = Buffer.from(signed.body.replace("cart-1042", "cart-\xff"), "latin1");
    const timestamp = String(SENT_AT.getTime() / 1000);
    const signature = createHmac("sha256", Buffer.alloc(32, 7))
      .update(`msg-1.${timestamp}.`)
      .update(body)
      .digest("base64");
    const headers = {
      "webhook-id": "msg-1",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
    expect(reasonOf({ body, headers })).toBe("malformed_body");
  });

  test("another scheme's version, and an empty list of signatures", () => {
    const signature = signed.headers["webhook-signature"] ?? "";
    const other = signature.replace("v1,", "v2,");
    expect(reasonOf({ headers: withHeader("webhook-signature", other) })).toBe(
      "signature_mismatch",
    );
    const empty = withHeader("webhook-signature", " ");
    expect(reasonOf({ headers: empty })).toBe("signature_mismatch");
    const listed = withHeader("webhook-signature", `${other} v1a,zzz ${signature}`);
    expect(reasonOf({ headers: listed })).toBeUndefined();
  });

  test("two signatures that are right, but about two deliveries", () => {
    const second = webhooks.signForTest({ secret: SECRET, payload, sentAt: SENT_AT });
    const mixed = Object.fromEntries(
      Object.keys(signed.headers).map((name) => [
        name,
        (name.startsWith("x-") ? second : signed).headers[name],
      ]),
    );
    expect(reasonOf({ headers: mixed })).toBeUndefined();
    expect(reasonOf({ headers: mixed, scheme: "both" })).toBe("signature_mismatch");
  });

  test.each<[string, unknown]>([
    ["none", undefined],
    ["an empty list", []],
    ["an empty text", ""],
    ["a line end", `${SECRET}\n`],
    ["no prefix", SECRET.slice(6)],
    ["no base64", "whsec_%%%%"],
    [
      "another writing of the same bytes",
      SECRET.replace(/.=$/, (end) => (end === "c=" ? "d=" : "c=")),
    ],
    ["hardly any bytes", "whsec_AAAA"],
    ["one that is wrong among good ones", [SECRET, "whsec_"]],
  ])("a secret that cannot be one, %s, is a TypeError that repeats nothing", (_title, secret) => {
    const run = () => verify({ secret: secret as string });
    expect(run).toThrow(TypeError);
    expect(run).not.toThrow(SECRET.slice(6));
  });

  test("a scheme that does not exist", () => {
    expect(() => verify({ scheme: "toString" as "both" })).toThrow(TypeError);
  });
});

describe("forgeries", () => {
  const bytes = Buffer.from(signed.body);
  const seeds = { seed: Number(process.env["EXCHANGE_FUZZ_SEED"] ?? Date.now()), numRuns: 3_000 };

  test.each(["standard", "both"] as const)("no byte of the body can be changed: %s", (scheme) => {
    for (let at = 0; at < bytes.length; at++) {
      const body = Buffer.from(bytes);
      body[at] = (body[at] ?? 0) ^ (1 << (at % 8));
      expect(reasonOf({ body, scheme })).toBe("signature_mismatch");
    }
  });

  test("no body can be shortened, lengthened or put in its place", () => {
    const other = fc.oneof(
      fc.integer({ min: 0, max: bytes.length - 1 }).map((end) => bytes.subarray(0, end)),
      fc.uint8Array({ minLength: 1 }).map((more) => Buffer.concat([bytes, more])),
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(other, (body) => {
        expect(reasonOf({ body })).toBe("signature_mismatch");
      }),
      seeds,
    );
  });

  test.each([
    ["standard", "webhook-id"],
    ["standard", "webhook-timestamp"],
    ["standard", "webhook-signature"],
    ["documented", "x-webhook-id"],
    ["documented", "x-webhook-timestamp"],
    ["documented", "x-webhook-signature"],
  ] as const)("no character of what %s reads in %s can be changed", (scheme, name) => {
    const value = signed.headers[name] ?? "";
    const change = fc.record({
      at: fc.nat({ max: value.length - 1 }),
      to: fc.string({ minLength: 0, maxLength: 2, unit: "binary-ascii" }),
    });
    fc.assert(
      fc.property(change, ({ at, to }) => {
        const changed = value.slice(0, at) + to + value.slice(at + 1);
        // The interface allows hexadecimal digits in capitals.
        fc.pre(changed.toLowerCase() !== value.toLowerCase() || scheme === "standard");
        // White space around a list of signatures does not change the signatures.
        fc.pre(changed.trim() !== value);
        expect(reasonOf({ headers: withHeader(name, changed), scheme })).toBeDefined();
      }),
      seeds,
    );
  });

  test("the documented signature holds the event type and the order, nothing else", () => {
    const forge = (own: object) => ({
      body: JSON.stringify({ ...payload, ...own }),
      scheme: "documented" as const,
    });
    expect(reasonOf(forge({ eventType: "OrderCreated" }))).toBe("signature_mismatch");
    const details = { ...payload.details, orderId: 1 };
    expect(reasonOf(forge({ details }))).toBe("signature_mismatch");
    const richer = { ...payload.details, totalPrice: 1_000_000 };
    expect(verify(forge({ details: richer })).isBodyProven).toBe(false);
  });

  test("whatever is received, the answer is an event or a WebhookError", () => {
    const request = fc.record({
      body: fc.oneof(fc.string(), fc.uint8Array(), fc.json()),
      headers: fc.dictionary(
        fc.constantFrom(...Object.keys(signed.headers)),
        fc.oneof(fc.string(), fc.constantFrom(...Object.values(signed.headers))),
      ),
      scheme: fc.constantFrom(...SCHEMES),
    });
    fc.assert(
      fc.property(request, (given) => {
        expect(reasonOf(given)).toBeDefined();
      }),
      seeds,
    );
  });
});
