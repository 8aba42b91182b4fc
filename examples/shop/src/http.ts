import type { IncomingMessage, ServerResponse } from "node:http";

const BODY_BYTES_MAX = 64 * 1024;

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The body is longer than anything this shop is sent. */
export class BodyTooLarge extends Error {}

/** The body's bytes, as they came. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // What is left is read and thrown away, so that the sender gets to hear the answer.
    if (length <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (length > BODY_BYTES_MAX) throw new BodyTooLarge();
  return Buffer.concat(chunks);
}

export function readJson(body: Buffer): Record<string, unknown> {
  try {
    return (JSON.parse(body.toString("utf8")) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

export function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-cache",
  });
  response.end(body);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(body));
}
