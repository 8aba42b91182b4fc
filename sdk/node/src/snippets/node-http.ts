import { createServer, type IncomingMessage } from "node:http";
import { WebhookError, webhooks } from "@exchange/node";
import { remember } from "./inbox.ts";

const secret = process.env["EXCHANGE_WEBHOOK_SECRET"] ?? "";
const BODY_BYTES_MAX = 64 * 1024;

export const server = createServer(async (request, response) => {
  if (request.method !== "POST" || request.url !== "/webhooks") {
    response.writeHead(404).end();
    return;
  }
  try {
    const body = await readBody(request);
    await remember(webhooks.verify({ body, headers: request.headers, secret }));
    response.writeHead(200).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 400 : 500).end();
  }
});

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
