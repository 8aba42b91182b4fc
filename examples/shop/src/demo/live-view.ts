import type { ServerResponse } from "node:http";

/** What the page's event log shows of one webhook that came in. */
export interface LiveWebhook {
  /** Of the header; null when there is none. */
  readonly id: string | null;
  readonly eventType: string;
  readonly orderId: number | null;
  readonly sessionId: string | null;
  readonly signature: "valid" | "invalid";
  readonly note: string;
  /** Unix seconds when it was sent; null when the headers do not say. */
  readonly sentAt: number | null;
  /** What was in it; null when it could not be trusted. */
  readonly details: object | null;
}

const REMEMBERED_MAX = 20;

/** Server-sent events for the demo's event log. A real shop has no use for this file. */
export class LiveView {
  readonly #viewers = new Set<ServerResponse>();
  readonly #remembered: string[] = [];
  #count = 0;

  /** Tells the viewer the last webhooks it has not had, then each as it comes. */
  join(response: ServerResponse, lastEventId = 0): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 1000\n\n");
    const missed = Math.min(this.#count - lastEventId, this.#remembered.length);
    if (missed > 0) response.write(this.#remembered.slice(-missed).join(""));
    this.#viewers.add(response);
    response.on("close", () => this.#viewers.delete(response));
  }

  show(webhook: LiveWebhook): void {
    this.#count += 1;
    const message = `id: ${this.#count}\nevent: webhook\ndata: ${JSON.stringify(webhook)}\n\n`;
    this.#remembered.push(message);
    if (this.#remembered.length > REMEMBERED_MAX) this.#remembered.shift();
    for (const viewer of this.#viewers) viewer.write(message);
  }
}
