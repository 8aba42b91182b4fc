import type { ServerResponse } from "node:http";

/** What the page's live view shows of one webhook that came in. */
export interface LiveWebhook {
  readonly eventType: string;
  readonly orderId: number | null;
  readonly sessionId: string | null;
  readonly signature: "valid" | "invalid";
  readonly note: string;
  /** Unix seconds when it was sent; null when the headers do not say. */
  readonly sentAt: number | null;
}

/** Server-sent events for the demo's live view. A real shop has no use for this file. */
export class LiveView {
  readonly #viewers = new Set<ServerResponse>();

  join(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 1000\n\n");
    this.#viewers.add(response);
    response.on("close", () => this.#viewers.delete(response));
  }

  show(webhook: LiveWebhook): void {
    for (const viewer of this.#viewers) {
      viewer.write(`event: webhook\ndata: ${JSON.stringify(webhook)}\n\n`);
    }
  }
}
