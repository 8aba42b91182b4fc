import { startCustomers } from "../customers.mjs";
import { pgbenchBuiltin } from "../floors/pgbench.mjs";
import { resultOf } from "../measure.mjs";
import { openDatabase, socketOf } from "../postgres.mjs";
import { cpuMsOf, cpuMsOfFamily, withCpuOf } from "../processes.mjs";

/** The sandbox's rails alone take most of a second for an order, so many are under way at once. */
const CUSTOMERS = 256;
const CLIENTS = 32;
const NAME = "orders, placed to completed, two webhooks delivered";

/** From the card processor's books to the chain's: captured, and broadcast just after it was signed. */
const CAPTURE_TO_PAYOUT = `select percentile_disc(0.5) within group (order by ms)::float8 as p50,
    percentile_disc(0.99) within group (order by ms)::float8 as p99
  from (select extract(epoch from min(sent.broadcast_at) - min(capture.captured_at)) * 1000 as ms
    from payment_attempts attempt
      join sandbox.card_captures capture on capture.reference = attempt.id::text
      join payout_intents intent on intent.order_id = attempt.order_id
      join sandbox.chain_transactions sent on sent.intent_id = intent.id::text
    where attempt.order_id = any($1)
    group by attempt.order_id) orders`;

async function prepare(service) {
  const customers = await startCustomers(service);
  const { pid } = await socketOf(service.dataDir);
  const serviceMs = async () => (await cpuMsOf(service.pid)) + (await cpuMsOfFamily(pid));
  return {
    floor: (seconds) =>
      pgbenchBuiltin({ dataDir: service.dataDir, name: "tpcb-like", clients: CLIENTS, seconds }),
    service: (seconds) =>
      withCpuOf(serviceMs, async () => {
        const bought = await customers.buy({ customers: CUSTOMERS, seconds });
        // Orders before and after the measured time cost processor time too.
        return { ...bought, requests: bought.orderIds.length };
      }),
    follow: async (highest, { seconds, pairs }) => [
      processorRow(pairs),
      await payoutRow(service, customers, { seconds, perSecond: highest / 2 }),
    ],
    stop: customers.stop,
  };
}

function processorRow(pairs) {
  const figures = pairs.map(({ high }) => high.cpuUs / 1_000);
  const row = `${NAME}: processor time of Node and PostgreSQL`;
  return resultOf({ row, unit: " ms", must: 7, aim: 4, isUpperBound: true }, figures);
}

async function payoutRow(service, customers, { seconds, perSecond }) {
  const { orderIds } = await customers.buy({ customers: CUSTOMERS, seconds, perSecond });
  const database = await openDatabase(service.dataDir);
  const { rows } = await database.query(CAPTURE_TO_PAYOUT, [orderIds]);
  await database.end();
  const [{ p50, p99 }] = rows;
  const row = "captured to payout signed, p99 at half the maximum";
  const target = { row, unit: " s", must: 1, aim: 0.3, isUpperBound: true };
  return { ...resultOf(target, [p99 / 1_000]), p50, p99, perSecond };
}

export const ORDER_ROWS = [
  { name: NAME, must: 0.045, aim: 0.1, floor: `pgbench TPC-B-like, ${CLIENTS} clients`, prepare },
];
