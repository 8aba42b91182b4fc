import { execFileSync } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  documentedSignature,
  makeSigningKey,
  type SignedFields,
  signatureHeaders,
} from "./signatures.ts";

// 32 bytes, 0x00 to 0x1f.
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_SECRET = "whsec_c2VjcmV0";
const [KEY, OTHER_KEY] = [makeSigningKey(SECRET), makeSigningKey(OTHER_SECRET)];
const FIELDS: SignedFields = {
  webhookId: "6f1f2f0e-3c9b-4a55-9d0a-0d3c2f9d9c11",
  timestamp: 1_767_225_600,
  eventType: "OrderCreated",
  orderId: 900_719_925_474_099n,
  body: '{"eventType":"OrderCreated","sessionId":"s-1","note":"Zürich, 0.1 ₿"}',
};

describe("the documented signature", () => {
  test("equals fixed vectors, in lowercase hex", () => {
    expect(documentedSignature(KEY, FIELDS)).toBe(
      "d158509c7b80122e8e1c39bb243445d0eabb2fadc99e8392d268e9f891c76e68",
    );
    expect(
      documentedSignature(OTHER_KEY, {
        ...FIELDS,
        eventType: "OrderFulfillment",
        orderId: 7n,
      }),
    ).toBe("d67c772a56199cc9fb1eab8a441182dbb4f928d4f8d6e046af91ff22ef4e8488");
  });

  test("is what OpenSSL computes with the whole secret string as the key", () => {
    const signed = "6f1f2f0e-3c9b-4a55-9d0a-0d3c2f9d9c11.1767225600.OrderCreated.900719925474099";
    const answer = execFileSync("openssl", ["dgst", "-sha256", "-hmac", SECRET], {
      input: signed,
      encoding: "utf8",
    });
    expect(answer.trim().split(" ").at(-1)).toBe(documentedSignature(KEY, FIELDS));
  });

  test.each([
    ["id", { webhookId: "6f1f2f0e-3c9b-4a55-9d0a-0d3c2f9d9c12" }],
    ["timestamp", { timestamp: 1_767_225_601 }],
    ["event type", { eventType: "OrderFulfillment" }],
    ["order id", { orderId: 900_719_925_474_098n }],
  ])("changes with the %s", (_name, change) => {
    expect(documentedSignature(KEY, { ...FIELDS, ...change })).not.toBe(
      documentedSignature(KEY, FIELDS),
    );
  });
});

describe("the standard signature", () => {
  const now = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders({ current: KEY }, { ...FIELDS, timestamp: now });
  const receiver = new Webhook(SECRET);

  test("equals a fixed vector", () => {
    expect(signatureHeaders({ current: KEY }, FIELDS)["webhook-signature"]).toBe(
      "v1,twQKMVjiRfDwTNOlIYBNOHeq2PgZjZdndCWje/DMIPc=",
    );
  });

  test("is accepted by an independent library", () => {
    expect(receiver.verify(FIELDS.body, headers)).toEqual(JSON.parse(FIELDS.body));
  });

  test("a body changed in one byte is rejected by that library", () => {
    const tampered = FIELDS.body.replace("0.1", "9.1");
    expect(() => receiver.verify(tampered, headers)).toThrow("No matching signature found");
  });

  test("an older timestamp put in its place is rejected by that library", () => {
    const stale = { ...headers, "webhook-timestamp": String(now - 301) };
    expect(() => receiver.verify(FIELDS.body, stale)).toThrow("Message timestamp too old");
  });

  test("a signature made with another secret is rejected by that library", () => {
    const forged = signatureHeaders({ current: OTHER_KEY }, { ...FIELDS, timestamp: now });
    expect(() => receiver.verify(FIELDS.body, forged)).toThrow("No matching signature found");
  });

  test("a secret that is not whsec_ and base64 is refused", () => {
    expect(() => makeSigningKey("secret")).toThrow("whsec_");
  });
});

describe("while a secret is being rotated", () => {
  const now = Math.floor(Date.now() / 1000);
  const fields = { ...FIELDS, timestamp: now };
  const headers = signatureHeaders({ current: KEY, previous: OTHER_KEY }, fields);

  test.each([
    ["new", SECRET],
    ["previous", OTHER_SECRET],
  ])("a library with the %s secret accepts the webhook", (_which, secret) => {
    expect(new Webhook(secret).verify(FIELDS.body, headers)).toBeTruthy();
  });

  test("the documented signature uses the previous secret, so that receivers with it keep working", () => {
    expect(headers["X-Webhook-Signature"]).toBe(documentedSignature(OTHER_KEY, fields));
  });
});
