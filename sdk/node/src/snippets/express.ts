import { WebhookError, webhooks } from "@exchange/node";
import express from "express";
import { remember } from "./inbox.ts";

const secret = process.env["EXCHANGE_WEBHOOK_SECRET"] ?? "";

export const app = express();

// Before any express.json(): the signature covers the raw bytes.
const rawBody = express.raw({ type: "application/json", limit: "64kb" });

app.post("/webhooks", rawBody, async (request, response) => {
  try {
    await remember(webhooks.verify({ body: request.body, headers: request.headers, secret }));
    response.sendStatus(200);
  } catch (error) {
    response.sendStatus(error instanceof WebhookError ? 400 : 500);
  }
});
