import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request; `nth` counts the requests of this receiver from 1. */
export type Answer = (response: http.ServerResponse, nth: number) => void;

export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly received: ReceivedWebhook[];
  readonly connections: () => number;
  answer: Answer;
  close(): Promise<void>;
}

export const answerStatus =
  (status: number, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();

/** A real HTTP endpoint on loopback that remembers every request before it answers. */
export async function startReceiver(answer: Answer = answerStatus(200)): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      });
      receiver.answer(response, received.length);
    });
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    answer,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}
