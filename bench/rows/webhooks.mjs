import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { socketOf } from "../floors/pgbench.mjs";

// The very libraries of the service.
const require = createRequire(new URL("../../apps/server/package.json", import.meta.url));
const { Agent } = require("undici");
const pg = require("pg");

const RECEIVER = fileURLToPath(new URL("../floors/webhook-receiver.mjs", import.meta.url));
const ENDPOINTS = 20;
/** Requests in flight an endpoint; the floor has as many in all. */
const IN_FLIGHT = 4;
const EVENTS = 10_000;
const WARM_MS = 300;

const EVENTS_OF = `insert into events (merchant_id, order_id, event_type, payload)
  select $1, n, 'OrderCreated', format('{"eventType":"OrderCreated","sessionId":"bench-%s",' ||
    '"details":{"orderId":%s,"status":"awaiting_payment","paymentMethod":"Credit or debit card",' ||
    '"fulfilled":false,"totalPrice":100,"totalPriceCurrency":"CAD","exchangeDetails":{' ||
    '"baseCurrency":"CAD","amountReceived":100,"targetCurrency":"BTC","amountToSend":0.00105,' ||
    '"operationType":"B"}}}', n, n)
  from generate_series(1, $2::int) n`;
const LATENCIES = `select percentile_disc(0.5) within group (order by duration_ms) as p50,
    percentile_disc(0.99) within group (order by duration_ms) as p99
  from (select duration_ms from delivery_attempts order by started_at desc limit 2000) latest`;

const PENDING = `select count(*)::int as pending from pending_deliveries
  where merchant_id = $1`;

const BODY = JSON.stringify({
  eventType: "OrderCreated",
  sessionId: "bench",
  filler: "x".repeat(260),
});
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function startReceiver() {
  const child = fork(RECEIVER);
  const [{ port }] = await once(child, "message");
  const count = async () => {
    child.send("count");
    return (await once(child, "message"))[0].count;
  };
  /** What came a second while the work runs. */
  const measure = async (seconds) => {
    await sleep(WARM_MS);
    const [before, startedAt] = [await count(), performance.now()];
    await sleep(seconds * 1_000);
    const after = await count();
    return { perSecond: ((after - before) * 1_000) / (performance.now() - startedAt) };
  };
  return { url: `http://127.0.0.1:${port}/`, measure, stop: () => child.kill("SIGKILL") };
}

/** The same client library, keep-alive, unsigned, nothing remembered. */
async function postBare(receiver, seconds) {
  const agent = new Agent({ connections: ENDPOINTS * IN_FLIGHT, pipelining: 1 });
  let isOver = false;
  const post = async () => {
    while (!isOver) {
      const { body } = await agent.request({
        origin: new URL(receiver.url).origin,
        path: "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: BODY,
      });
      await body.dump();
    }
  };
  const posting = Array.from({ length: ENDPOINTS * IN_FLIGHT }, post);
  const measured = await receiver.measure(seconds);
  isOver = true;
  await Promise.all(posting);
  await agent.close();
  return measured;
}

async function prepare(service) {
  const receiver = await startReceiver();
  const merchant = await service.addMerchant();
  const database = new pg.Client({ ...(await socketOf(service.dataDir)), user: "postgres" });
  // The service ends its database before the row's own end when the row fails.
  database.on("error", () => {});
  await database.connect();
  const call = async (method, path, body) => {
    const headers = { ...merchant.headers, "content-type": "application/json" };
    const response = await fetch(service.url + path, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()).data;
  };
  const ids = [];
  for (let at = 0; at < ENDPOINTS; at++) {
    const { id } = await call("POST", "/webhook_endpoints", { url: `${receiver.url}${at}` });
    ids.push(id);
  }
  const enableAll = (enabled) =>
    Promise.all(ids.map((id) => call("PATCH", `/webhook_endpoints/${id}`, { enabled })));
  await enableAll(false);
  await database.query(EVENTS_OF, [merchant.clientId, EVENTS]);
  /** So many deliveries wait before each round that none runs dry. */
  const fill = async () => {
    const { rows } = await database.query(PENDING, [merchant.clientId]);
    if (rows[0].pending > (ENDPOINTS * EVENTS) / 2) return;
    for (const endpointId of ids) {
      await call("POST", "/webhook_deliveries/replay", {
        endpointId,
        createdFrom: 0,
        include: "all",
      });
    }
    await database.query("analyze events; analyze deliveries");
  };
  return {
    floor: (seconds) => postBare(receiver, seconds),
    service: async (seconds) => {
      await fill();
      await enableAll(true);
      const measured = await receiver.measure(seconds);
      await enableAll(false);
      await sleep(WARM_MS);
      const { rows } = await database.query(LATENCIES);
      return { ...measured, ...rows[0] };
    },
    stop: () => {
      receiver.stop();
      void database.end();
    },
  };
}

export const rows = [
  {
    name: "webhook deliveries, 20 endpoints",
    target: 0.35,
    floor: "bare keep-alive POSTs",
    prepare,
  },
];
