import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { openMerchant } from "../customers.mjs";
import { startReceiver } from "../floors/http.mjs";
import { openDatabase } from "../postgres.mjs";

// The HTTP client that the service itself uses.
const { Agent } = createRequire(new URL("../../apps/server/package.json", import.meta.url))(
  "undici",
);

const ENDPOINTS = 20;
/** Requests in flight to an endpoint; the floor has as many in all. */
const IN_FLIGHT = 4;
const EVENTS = 10_000;
const WARM_UP_MS = 300;

const ADD_EVENTS = `insert into events (merchant_id, order_id, event_type, payload)
  select $1, n, 'OrderCreated', format('{"eventType":"OrderCreated","sessionId":"bench-%s",' ||
    '"details":{"orderId":%s,"status":"awaiting_payment","paymentMethod":"Credit or debit card",' ||
    '"fulfilled":false,"totalPrice":100,"totalPriceCurrency":"CAD","exchangeDetails":{' ||
    '"baseCurrency":"CAD","amountReceived":100,"targetCurrency":"BTC","amountToSend":0.00105,' ||
    '"operationType":"B"}}}', n, n)
  from generate_series(1, $2::int) n`;
const LATENCIES = `select percentile_disc(0.5) within group (order by duration_ms) as p50,
    percentile_disc(0.99) within group (order by duration_ms) as p99
  from (select duration_ms from delivery_attempts order by started_at desc limit 2000) latest`;
const COUNT_PENDING =
  "select count(*)::int as pending from pending_deliveries where merchant_id = $1";

const BODY = JSON.stringify({
  eventType: "OrderCreated",
  sessionId: "bench",
  filler: "x".repeat(260),
});

/** Returns how many webhooks a second arrive while the work runs. */
async function arrivals(receiver, seconds) {
  await sleep(WARM_UP_MS);
  const [before, startedAt] = [await receiver.count(), performance.now()];
  await sleep(seconds * 1_000);
  const after = await receiver.count();
  return { perSecond: ((after - before) * 1_000) / (performance.now() - startedAt) };
}

/** Posts with the same client library over kept connections: unsigned, and nothing is stored. */
async function postBare(receiver, seconds) {
  const agent = new Agent({ connections: ENDPOINTS * IN_FLIGHT, pipelining: 1 });
  const headers = { "content-type": "application/json" };
  const request = {
    origin: new URL(receiver.url).origin,
    path: "/",
    method: "POST",
    headers,
    body: BODY,
  };
  let isOver = false;
  const post = async () => {
    while (!isOver) await (await agent.request(request)).body.dump();
  };
  const posting = Array.from({ length: ENDPOINTS * IN_FLIGHT }, post);
  const measured = await arrivals(receiver, seconds);
  isOver = true;
  await Promise.all(posting);
  await agent.close();
  return measured;
}

async function prepare(service) {
  const receiver = await startReceiver();
  const { clientId, headers } = await service.addMerchant();
  const { call } = await openMerchant({ url: service.url, headers });
  const database = await openDatabase(service.dataDir);
  const ids = [];
  for (let number = 0; number < ENDPOINTS; number++) {
    const { id } = await call("POST", "/webhook_endpoints", { url: `${receiver.url}${number}` });
    ids.push(id);
  }
  const enableAll = (enabled) =>
    Promise.all(ids.map((id) => call("PATCH", `/webhook_endpoints/${id}`, { enabled })));
  await enableAll(false);
  await database.query(ADD_EVENTS, [clientId, EVENTS]);
  /** Replays events when fewer than half of the deliveries are pending, so that no round runs dry. */
  const fill = async () => {
    const { rows } = await database.query(COUNT_PENDING, [clientId]);
    if (rows[0].pending > (ENDPOINTS * EVENTS) / 2) return;
    for (const endpointId of ids) {
      const replay = { endpointId, createdFrom: 0, include: "all" };
      await call("POST", "/webhook_deliveries/replay", replay);
    }
    await database.query("analyze events; analyze deliveries");
  };
  return {
    floor: (seconds) => postBare(receiver, seconds),
    service: async (seconds) => {
      await fill();
      await enableAll(true);
      const measured = await arrivals(receiver, seconds);
      await enableAll(false);
      await sleep(WARM_UP_MS);
      const { rows } = await database.query(LATENCIES);
      return { ...measured, ...rows[0] };
    },
    stop: () => {
      receiver.stop();
      void database.end();
    },
  };
}

export const WEBHOOK_ROWS = [
  {
    name: "webhook deliveries, 20 endpoints",
    must: 0.2,
    aim: 0.35,
    floor: "bare keep-alive POSTs to the same receiver",
    prepare,
  },
];
