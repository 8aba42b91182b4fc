import type { WebhookEvent } from "@exchange/node";

// Yours is a table whose key is the id: the same webhook may come twice.
const inbox = new Map<string, WebhookEvent>();

/** Keeps a webhook for the work that follows, once. */
export async function remember(event: WebhookEvent): Promise<void> {
  if (!inbox.has(event.id)) inbox.set(event.id, event);
}

export const remembered = (): readonly WebhookEvent[] => [...inbox.values()];
