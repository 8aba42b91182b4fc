import { WebhookError, webhooks } from "@exchange/node";
import Fastify from "fastify";
import { remember } from "./inbox.ts";

const secret = process.env["EXCHANGE_WEBHOOK_SECRET"] ?? "";

export const app = Fastify();

// In a separate scope: all other routes keep Fastify's JSON parser.
void app.register(async (scope) => {
  scope.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit: 64 * 1024 },
    (_request, body, done) => done(null, body),
  );
  scope.post<{ Body: Buffer }>("/webhooks", async (request, reply) => {
    try {
      await remember(webhooks.verify({ body: request.body, headers: request.headers, secret }));
      return reply.code(200).send();
    } catch (error) {
      return reply.code(error instanceof WebhookError ? 400 : 500).send();
    }
  });
});
