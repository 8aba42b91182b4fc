import { expect, test } from "vitest";
import type { SecretBox } from "../domain/ports/secret-box.ts";
import type { ClaimedDelivery, ClaimedEndpoint } from "../storage/webhooks/claims.ts";
import { makeOpener } from "./endpoint-secrets.ts";
import { documentedSignature, makeSigningKey, type SigningKey } from "./signatures.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_SECRET = "whsec_c2VjcmV0";
const FIELDS = { webhookId: "w", timestamp: 1, eventType: "OrderCreated", orderId: 7n, body: "{}" };
const signed = (key: SigningKey | undefined) => key && documentedSignature(key, FIELDS);

/** A box without a lock, that counts what it opens. */
function makeBox() {
  const opened: string[] = [];
  const box: SecretBox = {
    seal: (secret) => Buffer.from(secret),
    open: (sealed, place) => {
      opened.push(place);
      const text = Buffer.from(sealed).toString();
      if (text === "moved") throw new Error("It is sealed for another place.");
      return text;
    },
  };
  return { opened, keysOf: makeOpener(box) };
}

/** The delivery of an endpoint whose row holds these. */
const deliveryWith = (current: string, previous?: string): ClaimedDelivery => {
  const endpoint: Partial<ClaimedEndpoint> = {
    secretSealed: Buffer.from(current),
    previousSecretSealed: previous === undefined ? null : Buffer.from(previous),
  };
  return { merchantId: "m1", endpointId: "e1", endpoint } as ClaimedDelivery;
};

test("a secret is opened once for as long as its endpoint's row says the same", () => {
  const { opened, keysOf } = makeBox();
  const keys = keysOf(deliveryWith(SECRET));
  expect(signed(keys?.current)).toBe(signed(makeSigningKey(SECRET)));
  expect(keysOf(deliveryWith(SECRET))).toBe(keys);
  expect(opened).toEqual(["webhook_endpoints|m1|e1|secret_sealed"]);
});

test("a rotation signs with both from the next delivery on, and its end with the new one", () => {
  const { keysOf } = makeBox();
  keysOf(deliveryWith(SECRET));
  const during = keysOf(deliveryWith(OTHER_SECRET, SECRET));
  expect(signed(during?.current)).toBe(signed(makeSigningKey(OTHER_SECRET)));
  expect(signed(during?.previous)).toBe(signed(makeSigningKey(SECRET)));
  expect(keysOf(deliveryWith(OTHER_SECRET))?.previous).toBeUndefined();
});

test.each([
  ["was moved", deliveryWith("moved")],
  ["is none", deliveryWith("secret")],
  ["before the rotation was moved", deliveryWith(SECRET, "moved")],
  ["before the rotation is none", deliveryWith(SECRET, "secret")],
])("nothing signs where the secret %s, though the one before it did", (_what, delivery) => {
  const { keysOf } = makeBox();
  expect(keysOf(deliveryWith(SECRET))).toBeDefined();
  expect(keysOf(delivery)).toBeUndefined();
  expect(keysOf(deliveryWith(SECRET))).toBeDefined();
});
