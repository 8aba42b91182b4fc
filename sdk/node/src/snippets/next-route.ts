import { WebhookError, webhooks } from "@exchange/node";
import { remember } from "./inbox.ts";

const secret = process.env["EXCHANGE_WEBHOOK_SECRET"] ?? "";

// app/webhooks/route.ts
export async function POST(request: Request): Promise<Response> {
  try {
    const body = await request.arrayBuffer();
    await remember(webhooks.verify({ body, headers: request.headers, secret }));
    return new Response(null, { status: 200 });
  } catch (error) {
    return new Response(null, { status: error instanceof WebhookError ? 400 : 500 });
  }
}
