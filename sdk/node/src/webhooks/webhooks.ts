import type { WebhookHeaders } from "./headers.ts";
import { signForTest, testPayload } from "./sign-for-test.ts";
import { verifyWebhook, type WebhookEvent } from "./verify.ts";

/** Functions for a receiver of webhooks. They send no request and need no API key. */
export const webhooks = Object.freeze({
  verify: verifyWebhook,
  /** `verify` with its defaults, in the argument order of other payment libraries. */
  constructEvent: (
    body: Uint8Array | ArrayBuffer | string,
    headers: WebhookHeaders,
    secret: string | readonly string[],
  ): WebhookEvent => verifyWebhook({ body, headers, secret }),
  signForTest,
  testPayload,
});
