import { expect, test } from "vitest";
import { formatWebhookSecret, readWebhookSecret } from "./secret.ts";

test("the bytes of a webhook secret are read from the text that a merchant gets", () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => index * 8);
  const base64 = readWebhookSecret(formatWebhookSecret(bytes)) ?? "";
  expect(Uint8Array.from(Buffer.from(base64, "base64"))).toEqual(bytes);
});

test.each(["", "whsec_", "AAAA", "whsec_AA-A", " whsec_AAAA", "whsec_AAAA\n"])(
  "%j is not a webhook secret",
  (text) => {
    expect(readWebhookSecret(text)).toBeUndefined();
  },
);
