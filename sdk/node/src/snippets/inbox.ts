import type { WebhookEvent } from "@exchange/node";

// Use a table with the id as its key: the same webhook may arrive twice.
const inbox = new Map<string, WebhookEvent>();

/** Stores a webhook once, to be processed later. */
export async function remember(event: WebhookEvent): Promise<void> {
  if (!inbox.has(event.id)) inbox.set(event.id, event);
}

export const remembered = (): readonly WebhookEvent[] => [...inbox.values()];
