import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ok,
  page,
  refusal,
  type ScriptedServer,
  startScriptedServer,
} from "../testing/scripted-server.ts";

const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 4).toString("base64")}`;

let service: ScriptedServer;
beforeAll(async () => {
  service = await startScriptedServer();
  process.env["EXCHANGE_WEBHOOK_SECRET"] = SECRET;
  process.env["EXCHANGE_URL"] = service.url;
  process.env["EXCHANGE_API_KEY"] = "key";
  process.env["EXCHANGE_CLIENT_ID"] = "client";
});
afterAll(() => service.close());

/** A snippet that listens on a port of its own. */
interface Listening {
  readonly url: string;
  close(): unknown;
}

async function listening(server: Server): Promise<Listening> {
  if (!server.listening) await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return { url, close: () => server.close() };
}

const STARTS: readonly (readonly [string, () => Promise<Listening>])[] = [
  [
    "node:http",
    async () => listening((await import("./node-http.ts")).server.listen(0, "127.0.0.1")),
  ],
  ["Express", async () => listening((await import("./express.ts")).app.listen(0, "127.0.0.1"))],
  [
    "Fastify",
    async () => {
      const { app } = await import("./fastify.ts");
      await app.listen({ port: 0, host: "127.0.0.1" });
      return { ...(await listening(app.server)), close: () => app.close() };
    },
  ],
];

describe.each(STARTS)("%s", (_name, start) => {
  let receiver: Listening;
  beforeAll(async () => {
    receiver = await start();
  });
  afterAll(() => receiver.close());

  test("accepts a signed webhook once, and refuses the rest", async () => {
    const { sendTestWebhook } = await import("./test-receiver.ts");
    const { remembered } = await import("./inbox.ts");
    const before = remembered().length;
    expect(await sendTestWebhook(receiver.url, SECRET)).toBe(200);
    expect(await sendTestWebhook(receiver.url, OTHER)).toBe(400);
    expect(remembered().slice(before)).toMatchObject([{ sessionId: "cart-1042" }]);
  });

  test("believes the bytes as they came, not as a parser would write them", async () => {
    const { webhooks } = await import("@exchange/node");
    const payload = JSON.stringify(webhooks.testPayload("OrderCreated"), null, 3);
    const { body, headers } = webhooks.signForTest({ secret: SECRET, payload });
    const post = () => fetch(receiver.url, { method: "POST", body, headers });
    const { remembered } = await import("./inbox.ts");
    const before = remembered().length;
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    expect(remembered()).toHaveLength(before + 1);
  });

  test("does not read an endless body", async () => {
    const body = Readable.toWeb(Readable.from(Array(200).fill(Buffer.alloc(1_000, " "))));
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "application/json" },
    };
    const status = await fetch(receiver.url, init as RequestInit).then(
      (response) => response.status,
      () => 413,
    );
    // 400 would mean that the whole body was read and its signature refused.
    expect([413, 500]).toContain(status);
  });
});

describe("Next.js", () => {
  test("accepts signed webhooks and refuses the rest", async () => {
    const { webhooks } = await import("@exchange/node");
    const { POST } = await import("./next-route.ts");
    const payload = webhooks.testPayload("OrderCreated");
    const receive = (secret: string) =>
      POST(
        new Request("https://shop.example/webhooks", {
          method: "POST",
          ...webhooks.signForTest({ secret, payload }),
        }),
      );
    expect((await receive(SECRET)).status).toBe(200);
    expect((await receive(OTHER)).status).toBe(400);
  });
});

describe("the checkout's token", () => {
  test("is made for the cart, with the price locked", async () => {
    const { tokenFor } = await import("./checkout-token.ts");
    service.answer(ok({ accessToken: "jwt" }));
    expect(await tokenFor({ id: "1042", total: 99.5 })).toBe("jwt");
    expect(JSON.parse(service.seen[0]?.body ?? "")).toEqual({
      sessionId: "cart-1042",
      lock: { operationType: "B", baseCurrency: "cad", baseAmount: 99.5 },
    });
  });

  test("is undefined for a cart that has its order; other errors are thrown", async () => {
    const { tokenFor } = await import("./checkout-token.ts");
    service.answer(refusal(400, "SESSION_ALREADY_USED"));
    expect(await tokenFor({ id: "1042", total: 99.5 })).toBeUndefined();
    service.answer(refusal(401, "UNAUTHORIZED"));
    await expect(tokenFor({ id: "1042", total: 1 })).rejects.toMatchObject({ status: 401 });
  });
});

const client = async () => {
  const { createExchange } = await import("@exchange/node");
  const options = { baseUrl: service.url, apiKey: "key", clientId: "client", maxRetries: 0 };
  return createExchange(options);
};

test("takings are added to the cent, however the numbers would add up", async () => {
  const { takings } = await import("./takings.ts");
  const order = (totalPrice: number, totalPriceCurrency = "CAD") => ({
    totalPrice,
    totalPriceCurrency,
  });
  service.answer(page([order(0.1), order(5, "EUR")], "c"), page([order(0.2), order(1e9)], null));
  expect(await takings(await client(), 0, 86_400)).toBe("1000000000.3");
  expect(service.seen[0]?.target).toContain("status=completed&createdFrom=0&createdTo=86400");
});

test("a cancellation says what to do for each outcome", async () => {
  const { cancelOrder } = await import("./cancel-order.ts");
  service.answer(ok({ status: "cancelled" }));
  expect(await cancelOrder(await client(), 5)).toBe("cancelled");
  expect(service.seen[0]?.headers["idempotency-key"]).toBe("cancel-5");
  service.answer(refusal(409, "INVALID_ORDER_STATE"));
  expect(await cancelOrder(await client(), 5)).toContain("too late");
  service.answer(refusal(503, "PROVIDER_UNAVAILABLE"));
  expect(await cancelOrder(await client(), 5)).toBe("try again, request req-1");
  service.answer(refusal(404, "NOT_FOUND"));
  await expect(cancelOrder(await client(), 5)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("events are followed from where the last one was", async () => {
  const { handleNewEvents } = await import("./follow-events.ts");
  const exchange = await client();
  service.answer(page([{ sequence: 8 }, { sequence: 9 }], "9"), page([{ sequence: 10 }], null));
  const handled: number[] = [];
  const last = await handleNewEvents(exchange, 7, async ({ sequence }) => {
    handled.push(sequence);
  });
  expect([last, handled]).toEqual([10, [8, 9, 10]]);
  service.answer(page([], null));
  expect(await handleNewEvents(exchange, last, async () => {})).toBe(10);
});
