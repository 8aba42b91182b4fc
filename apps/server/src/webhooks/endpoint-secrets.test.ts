import { expect, test } from "vitest";
import type { SecretBox } from "../domain/ports/secret-box.ts";
import type { ClaimedDelivery, ClaimedEndpoint } from "../storage/webhooks/claims.ts";
import { openSigningKeys } from "./endpoint-secrets.ts";
import { documentedSignature, makeSigningKey, type SigningKey } from "./signatures.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_SECRET = "whsec_c2VjcmV0";
const FIELDS = { webhookId: "w", timestamp: 1, eventType: "OrderCreated", orderId: 7n, body: "{}" };
const signed = (key: SigningKey | undefined) => key && documentedSignature(key, FIELDS);

/** A secret box that seals nothing. It refuses to open the text "moved". */
const BOX: SecretBox = {
  seal: (secret) => Buffer.from(secret),
  open: (sealed) => {
    const text = Buffer.from(sealed).toString();
    if (text === "moved") throw new Error("The secret is sealed for another place.");
    return text;
  },
};

/** The delivery of an endpoint with these secrets. */
const deliveryWith = (current: string, previous?: string): ClaimedDelivery => {
  const endpoint: Partial<ClaimedEndpoint> = {
    secretSealed: Buffer.from(current),
    previousSecretSealed: previous === undefined ? null : Buffer.from(previous),
  };
  return { merchantId: "m1", endpointId: "e1", endpoint } as ClaimedDelivery;
};

test("the current secret signs", () => {
  const keys = openSigningKeys(BOX, deliveryWith(SECRET));
  expect(signed(keys?.current)).toBe(signed(makeSigningKey(SECRET)));
  expect(keys?.previous).toBeUndefined();
});

test("during a rotation both secrets sign", () => {
  const keys = openSigningKeys(BOX, deliveryWith(OTHER_SECRET, SECRET));
  expect(signed(keys?.current)).toBe(signed(makeSigningKey(OTHER_SECRET)));
  expect(signed(keys?.previous)).toBe(signed(makeSigningKey(SECRET)));
});

test.each([
  ["was moved", deliveryWith("moved")],
  ["is malformed", deliveryWith("secret")],
  ["before the rotation was moved", deliveryWith(SECRET, "moved")],
  ["before the rotation is malformed", deliveryWith(SECRET, "secret")],
])("nothing signs if the secret %s", (_what, delivery) => {
  expect(openSigningKeys(BOX, delivery)).toBeUndefined();
});
