import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { vi } from "vitest";

/** One webhook request, with the exact bytes of its body as text. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The time of arrival, in milliseconds of `performance.now()`. */
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets the status of all further answers. */
  answerWith(status: number): void;
  /** Waits until that number of deliveries, by webhook id, were answered with 2xx. */
  waitForDeliveries(count: number, timeoutMs?: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

/** Starts a webhook endpoint that records its requests. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const accepted = new Map<string, Received>();
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const delivery = { headers: request.headers, body, at: performance.now() };
      received.push(delivery);
      if (status < 300) accepted.set(String(request.headers["x-webhook-id"]), delivery);
      response.writeHead(status).end();
    });
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    received,
    answerWith: (next) => {
      status = next;
    },
    waitForDeliveries: (count, timeoutMs = 60_000) =>
      vi.waitUntil(() => (accepted.size >= count ? [...accepted.values()] : undefined), {
        timeout: timeoutMs,
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
