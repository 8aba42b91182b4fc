export const WEBHOOK_SECRET_BYTES = 32;

/** Returns a webhook secret in the merchants' format: `whsec_` and the base64 of its random bytes. */
export const formatWebhookSecret = (bytes: Uint8Array): string =>
  `whsec_${btoa(String.fromCharCode(...bytes))}`;

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Returns the base64 of a webhook secret's bytes. Undefined for other text. */
export const readWebhookSecret = (text: string): string | undefined => SECRET.exec(text)?.[1];
