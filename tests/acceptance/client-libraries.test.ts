import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { isThere, PHP, PYTHON, runProgram } from "../support/libraries/interpreters.ts";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  placeOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
const SCENARIOS = fileURLToPath(new URL("../support/libraries", import.meta.url));

const LIBRARIES = [
  { name: "Python", interpreter: PYTHON, file: `${SCENARIOS}/scenario.py` },
  { name: "PHP", interpreter: PHP, file: `${SCENARIOS}/scenario.php` },
] as const;

let merchant: Merchant;
let receiver: Receiver;
let flaky: Server;
let secret: string;
const orders: number[] = [];
/** The keys and paths that the flaky server saw. */
const keys: unknown[] = [];

/** Sends one header after the other. */
function dripHeaders({ socket }: ServerResponse): void {
  socket?.write("HTTP/1.1 200 OK\r\n");
  const drip = setInterval(() => socket?.write("x-drip: 1\r\n"), 100);
  socket?.on("error", () => {}).on("close", () => clearInterval(drip));
}

/**
 * Breaks the connection, then is unavailable, then answers. The first answer about order 8 is cut. The key of order 9 is
 * held at first, and that of order 10 was used with another request. The answer about order 11 begins, and its headers
 * never end.
 */
function startFlakyServer(): Promise<Server> {
  let isCut = false;
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    const { "content-length": length } = request.headers;
    keys.push(`${request.method} ${request.url} ${length} ${key}`);
    request.resume().on("end", () => {
      if (request.url?.includes("/8/")) {
        isCut = !isCut;
        if (isCut) response.setHeader("content-length", 1_000);
        const answer = '{"success":true,"code":"ok","data":{"orderId":8}}';
        return void response.write(answer, () => (isCut ? response.destroy() : response.end()));
      }
      if (/\/(9|10)\//.test(request.url ?? "")) {
        const isUsed = request.url?.includes("/10/");
        const isHeld = !isUsed && keys.filter((seen) => seen === keys.at(-1)).length === 1;
        const refused = { code: "IDEMPOTENCY_CONFLICT", message: "The key is in use." };
        const found = { success: true, code: "ok", data: { orderId: 9 } };
        response.writeHead(isHeld || isUsed ? 409 : 200, isHeld ? { "retry-after": "0" } : {});
        return void response.end(JSON.stringify(isHeld || isUsed ? refused : found));
      }
      if (request.url?.includes("/11/")) return dripHeaders(response);
      const turn = keys.length % 3;
      if (turn === 1) return void response.destroy();
      response.writeHead(turn === 2 ? 503 : 200, { "retry-after": "0" });
      response.end(
        turn === 2 ? "" : JSON.stringify({ success: true, code: "ok", data: { orderId: 7 } }),
      );
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function buy(): Promise<number> {
  const customer = await startSession(service, merchant);
  const { quoteId } = await takeQuote(customer, await buyChoice(service, merchant));
  const { orderId } = (await placeOrder(customer, quoteId)).body.data;
  orders.unshift(orderId);
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "completed");
  return orderId;
}

describe("the libraries for other languages", () => {
  beforeAll(async () => {
    merchant = await createMerchant(service);
    receiver = await startReceiver();
    ({ secret } = await addWebhook(service, merchant, receiver));
    flaky = await startFlakyServer();
    await buy();
    await buy();
  });
  afterAll(async () => {
    await receiver.close();
    flaky.close();
  });

  for (const { name, interpreter, file } of LIBRARIES) {
    test.skipIf(!isThere(interpreter))(
      `${name}: a merchant's server reads, writes and verifies, to the last digit`,
      async () => {
        const orderId = orders[0] ?? 0;
        // The two webhooks of an order may arrive in either order.
        const findWebhook = () =>
          receiver.received.find(
            ({ body }) => body.includes(`"orderId":${orderId},`) && body.includes('"OrderCreated"'),
          );
        await expect.poll(findWebhook).toBeDefined();
        const webhook = findWebhook();
        const order = (await merchantCall(service, merchant, { path: `/v1/orders/${orderId}` }))
          .text;
        keys.length = 0;
        const input = JSON.stringify({
          url: service.url,
          flakyUrl: `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`,
          apiKey: merchant.apiKey,
          clientId: merchant.clientId,
          sessionId: newSessionId(),
          orderId,
          key: `create ${name}`,
          amount: "100.10",
          webhookUrl: `${receiver.url}/${name}`,
          webhook: { body: webhook?.body, headers: webhook?.headers, secret },
          otherSecret: `whsec_${Buffer.alloc(32, 9).toString("base64")}`,
        });
        const said = JSON.parse(await runProgram({ interpreter, file, input }));
        expect(said).toEqual({
          hasToken: true,
          lock: "100.1",
          metadata: { amount: "007" },
          price: "100",
          sent: /"amountToSend":([\d.]+)/.exec(order)?.[1],
          listed: orders,
          made: 1,
          removed: null,
          flaky: 7,
          attempts: [
            [1, null],
            [2, 503],
            [3, 200],
            [1, null],
            [2, 200],
            [1, 409],
            [2, 200],
            [1, 409],
          ],
          waits: 4,
          cut: 8,
          held: 9,
          slow: true,
          end: true,
          repeated: "OrderCreated",
          faults: {
            unknown: ["NOT_FOUND", 404, true],
            key: ["UNAUTHORIZED", 401, true],
            used: ["IDEMPOTENCY_CONFLICT", 409, false],
            slow: ["TIMEOUT", null, false],
            noKey: expect.stringMatching(/^idempotency_?[kK]ey must be 1 to 255 printable ASCII/),
            noTime: expect.stringMatching(/^timeout_?[sS]econds must be above 0/),
            away: ["CONNECTION_FAILED", null, false],
            float: "amount is a float, which is not exact. Pass text such as '99.95'.",
            address: expect.stringMatching(/plain HTTP, which sends the API key unencrypted/),
            forged: "signature_mismatch",
            old: "timestamp_too_old",
            future: "timestamp_in_future",
            unsigned: "missing_header",
            repeated: "malformed_header",
            deep: "malformed_body",
            otherSecret: "signature_mismatch",
            secret: "A webhook secret must be whsec_ and base64, without white space around it.",
          },
          event: ["OrderCreated", orderId, "100", true],
          tested: "OrderCreated",
        });
        expect(new Set(keys).size).toBe(5);
        expect(keys[0]).toMatch(/^POST \/v1\/orders\/7\/cancel 0 [\x20-\x7e]{20,}$/);
      },
    );
  }
});
