export const WEBHOOK_SECRET_BYTES = 32;

/** Returns a webhook secret in the merchants' format: `whsec_` and the base64 of its random bytes. */
export const formatWebhookSecret = (bytes: Uint8Array): string =>
  `whsec_${btoa(String.fromCharCode(...bytes))}`;
