import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. */
export type Answer = (response: ServerResponse) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Sets the next answers, one for each request. The last answer is repeated. */
  answer(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

/** A real server on the loopback address that gives scripted answers and records the requests. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  let script: Answer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, target: url, headers, body: Buffer.concat(chunks).toString("utf8") });
      const next = script.length > 1 ? script.shift() : script[0];
      (next ?? status(599))(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: (...answers) => {
      script = [...answers];
      seen.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ""): Answer =>
  (response) => {
    response.writeHead(code, { ...headers }).end(body);
  };

export const json = (
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => status(code, { "content-type": "application/json", ...headers }, JSON.stringify(body));

export const ok = (data: unknown): Answer => json(200, { success: true, code: "ok", data });

export const page = (data: readonly unknown[], nextCursor: string | null): Answer =>
  json(200, { success: true, code: "ok", data, nextCursor });

export const refusal = (code: number, name: string, extra: object = {}): Answer =>
  json(code, { code: name, message: "Because.", requestId: "req-1", ...extra });

/** Closes the connection instead of answering. */
export const reset: Answer = (response) => response.destroy();

/** Never answers. */
export const hang: Answer = () => {};

/** Begins an answer and never ends it. */
export const drip: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"success":');
};
