import { createServer } from "node:http";
import { startCustomers } from "./customers.mjs";
import { median } from "./measure.mjs";
import { socketOf } from "./postgres.mjs";
import { cpuMsOf, cpuMsOfFamily, nodeMemoryMb } from "./processes.mjs";
import { startMeasuredService } from "./service.mjs";

const CUSTOMERS = 64;
/** Well below what two cores can do, so that each variant does the same work in the same time. */
const ORDERS_PER_SECOND = 20;

/** Returns the ways to observe a service that are compared. Metrics are always counted. */
const variantsOf = (tracesUrl) => [
  { name: "metrics", variables: { EXCHANGE_ACCESS_LOG: "off" } },
  { name: "metrics, access log", variables: {} },
  ...["0.1", "1"].map((ratio) => ({
    name: `metrics, access log, traces ${ratio}`,
    variables: { EXCHANGE_TRACES_URL: tracesUrl, EXCHANGE_TRACES_RATIO: ratio },
  })),
];

/**
 * Measures what observing a service costs. The variants run beside each other and are measured in turn, each
 * selling orders at the same pace. The collector of the traces takes everything and reads nothing.
 */
export async function measureObserved({ rounds, seconds, progress }) {
  const collector = createServer((incoming, response) => {
    incoming.resume().on("end", () => response.end("{}"));
  });
  await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const variants = variantsOf(`http://127.0.0.1:${collector.address().port}/v1/traces`);
  const opened = [];
  try {
    for (const variant of variants) opened.push(await open(variant));
    for (const variant of opened) await variant.customers.buy(pace(2));
    for (let round = 1; round <= rounds; round++) {
      for (const variant of opened) await measureOnce(variant, seconds);
      progress(`round ${round} of ${rounds}`);
    }
    return await Promise.all(opened.map(resultOf));
  } finally {
    for (const { customers, service } of opened) {
      await customers.stop();
      await service.stop();
    }
    collector.closeAllConnections();
    collector.close();
  }
}

const pace = (seconds) => ({ customers: CUSTOMERS, perSecond: ORDERS_PER_SECOND, seconds });

async function open({ name, variables }) {
  const service = await startMeasuredService(variables);
  const { pid } = await socketOf(service.dataDir);
  const customers = await startCustomers(service);
  return { name, service, customers, databasePid: pid, nodeMs: [], databaseMs: [] };
}

async function measureOnce({ service, customers, databasePid, nodeMs, databaseMs }, seconds) {
  const before = [await cpuMsOf(service.pid), await cpuMsOfFamily(databasePid)];
  const { orderIds } = await customers.buy(pace(seconds));
  nodeMs.push(((await cpuMsOf(service.pid)) - before[0]) / orderIds.length);
  databaseMs.push(((await cpuMsOfFamily(databasePid)) - before[1]) / orderIds.length);
}

const resultOf = async ({ name, service, nodeMs, databaseMs }) => ({
  name,
  nodeMs: median(nodeMs),
  spread: [Math.min(...nodeMs), Math.max(...nodeMs)],
  databaseMs: median(databaseMs),
  memoryMb: await nodeMemoryMb(service.pid),
});

/** Returns a table in Markdown, as docs/operating/tracing.md shows it. */
export function observedTable(results) {
  const head = ["Observed by", "Node, ms an order (spread)", "PostgreSQL, ms an order", "Memory"];
  const lines = results.map(({ name, nodeMs, spread, databaseMs, memoryMb }) => [
    name,
    `${nodeMs.toFixed(2)} (${spread.map((each) => each.toFixed(2)).join("–")})`,
    databaseMs.toFixed(2),
    `${memoryMb.toFixed(0)} MB`,
  ]);
  return [head, head.map(() => "---"), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
