// Customers and the merchant they buy from: they take quotes, place orders and pay them through the
// API, and a receiver of webhooks says when an order was fulfilled.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { openMerchant } from "./merchant-calls.mjs";

// The very client of the service.
const require = createRequire(new URL("../apps/server/package.json", import.meta.url));
const { Agent, setGlobalDispatcher } = require("undici");
setGlobalDispatcher(new Agent({ connections: 64, pipelining: 1 }));

/** Before it is measured, the first orders are under way. */
const WARM_MS = 1_500;
/** Webhooks of one order: that it was created, that it was fulfilled. */
const WEBHOOKS = 2;

const state = { merchant: undefined, webhooksOf: new Map(), fulfilled: new Map() };

/** Answers 204 and counts the webhooks of each session; the last one ends its customer's wait. */
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { sessionId } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const count = (state.webhooksOf.get(sessionId) ?? 0) + 1;
    state.webhooksOf.set(sessionId, count);
    if (count === WEBHOOKS) state.fulfilled.get(sessionId)?.();
    response.writeHead(204).end();
  });
});
receiver.keepAliveTimeout = 60_000;

async function open({ url, headers }) {
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  state.merchant = await openMerchant({ url, headers });
  const { port } = receiver.address();
  const { id } = await state.merchant.addWebhookEndpoint(`http://127.0.0.1:${port}/`);
  return { endpointId: id };
}

async function buy({ customers, seconds, perSecond }) {
  const pauseMs = perSecond === undefined ? 0 : (customers * 1_000) / perSecond;
  const run = { pauseMs, isOver: false, isMeasured: false, latenciesMs: [], orderIds: [] };
  const loops = Array.from({ length: customers }, () => keepBuying(run));
  const failed = Promise.all(loops);
  await Promise.race([sleep(WARM_MS), failed]);
  run.isMeasured = true;
  const startedAt = performance.now();
  await Promise.race([sleep(seconds * 1_000), failed]);
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  const sorted = Float64Array.from(run.latenciesMs).sort();
  run.isMeasured = false;
  run.isOver = true;
  await failed;
  const at = (part) => sorted[Math.floor(sorted.length * part)];
  return {
    requests: sorted.length,
    perSecond: sorted.length / elapsedSeconds,
    p50: at(0.5),
    p99: at(0.99),
    orderIds: run.orderIds,
  };
}

async function keepBuying(run) {
  while (!run.isOver) {
    const due = sleep(run.pauseMs);
    const session = await state.merchant.openSession();
    const fulfilled = new Promise((resolve) => state.fulfilled.set(session.sessionId, resolve));
    const quote = await session.takeQuote();
    const placedAt = performance.now();
    const { orderId } = await session.placeOrder(quote);
    await session.payByCard(orderId);
    await fulfilled;
    state.fulfilled.delete(session.sessionId);
    state.webhooksOf.delete(session.sessionId);
    run.orderIds.push(orderId);
    if (run.isMeasured) run.latenciesMs.push(performance.now() - placedAt);
    if (run.pauseMs > 0) await due;
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const ANSWERS = { open, buy };
process.on("message", async (message) => {
  try {
    process.send(await ANSWERS[message.kind](message));
  } catch (error) {
    process.send({ error: error.stack });
  }
});
process.once("disconnect", () => process.exit());
