import { PassThrough, type Readable } from "node:stream";
import type { WebhookEvent } from "@exchange/node";

/** One webhook in the page's event log. */
export interface LiveWebhook {
  /** From the header; null when it is missing. */
  readonly id: string | null;
  readonly eventType: string;
  readonly orderId: number | null;
  readonly sessionId: string | null;
  readonly signature: "valid" | "invalid";
  readonly note: string;
  /** Unix seconds when it was sent; null for a rejected webhook. */
  readonly sentAt: number | null;
  /** Its content; null for a rejected webhook. */
  readonly details: object | null;
}

const REMEMBERED_MAX = 20;

/** Server-sent events for the demo's event log. A real shop has no use for this file. */
export class LiveView {
  readonly #viewers = new Set<PassThrough>();
  readonly #remembered: string[] = [];
  #count = 0;

  /** The remembered webhooks after `lastEventId`, then each webhook as it arrives. */
  join(lastEventId: number): Readable {
    const viewer = new PassThrough();
    viewer.write("retry: 1000\n\n");
    const missed = Math.min(this.#count - lastEventId, this.#remembered.length);
    if (missed > 0) viewer.write(this.#remembered.slice(-missed).join(""));
    this.#viewers.add(viewer);
    return viewer.on("close", () => this.#viewers.delete(viewer));
  }

  showVerified({ id, eventType, sessionId, sentAt, details }: WebhookEvent, note: string): void {
    const { orderId } = details;
    this.#show({ id, eventType, orderId, sessionId, signature: "valid", note, sentAt, details });
  }

  showRejected(id: string | string[] | undefined, note: string): void {
    this.#show({
      id: String(id ?? "") || null,
      eventType: "Rejected",
      orderId: null,
      sessionId: null,
      signature: "invalid",
      note,
      sentAt: null,
      details: null,
    });
  }

  #show(webhook: LiveWebhook): void {
    this.#count += 1;
    const message = `id: ${this.#count}\nevent: webhook\ndata: ${JSON.stringify(webhook)}\n\n`;
    this.#remembered.push(message);
    if (this.#remembered.length > REMEMBERED_MAX) this.#remembered.shift();
    for (const viewer of this.#viewers) viewer.write(message);
  }
}
