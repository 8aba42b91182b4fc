import { afterEach, beforeEach, expect, test } from "vitest";
import { Stage, signedWebhook } from "../testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

interface Shown {
  readonly id: string;
  readonly eventType: string;
  readonly signature: string;
}

/** Returns the first webhooks that a viewer receives. */
async function watch(
  count: number,
  { headers = {}, after = 0 }: { headers?: Record<string, string>; after?: number } = {},
): Promise<Shown[]> {
  const aborter = new AbortController();
  const url = `${stage.shopUrl}/api/live?after=${after}`;
  const response = await fetch(url, { headers, signal: aborter.signal });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.split("\ndata: ").length > count) break;
  }
  aborter.abort();
  return [...text.matchAll(/\ndata: (.*)/g)].map(([, data = ""]) => JSON.parse(data) as Shown);
}

test("a viewer gets valid and refused webhooks, including earlier ones", async () => {
  const sessionId = await stage.startPurchase();
  const webhook = signedWebhook({ sessionId });
  await stage.deliver(webhook);
  await stage.deliver({ method: "POST", body: "{}" });
  const [valid, refused] = await watch(2);
  expect(valid).toMatchObject({ eventType: "OrderFulfillment", signature: "valid" });
  expect(valid?.id).toBe(webhook.headers["x-webhook-id"]);
  expect(refused).toMatchObject({ eventType: "Rejected", signature: "invalid", details: null });
});

test.each([
  ["reconnects", { headers: { "last-event-id": "1" } }],
  ["is seen again", { after: 1 }],
])("a viewer that %s gets only the webhooks it missed", async (_title, last) => {
  const sessionId = await stage.startPurchase();
  await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  await stage.deliver(signedWebhook({ sessionId }));
  const missed = await watch(1, last);
  expect(missed.map(({ eventType }) => eventType)).toEqual(["OrderFulfillment"]);
});
