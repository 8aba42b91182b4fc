// Run as a process of its own: one half of the service, on a database that outlives it. Its argument is `front`,
// which answers requests, or `workers`, which runs jobs and sends webhooks. They are two processes, so that a crash
// costs the start of one. Its second argument is a failpoint that is armed from the start. A message over its channel
// arms another failpoint, at which it kills itself as `kill -9` would. Another message is an operator's decision,
// which it carries out. It tells every place that it passes.
import { readConfig } from "../../../apps/server/dist/config.js";
import { armFailpoint, watchFailpoints } from "../../../apps/server/dist/failpoints.js";
import { refundOrder } from "../../../apps/server/dist/flows/orders/refund.js";
import { releaseOrder } from "../../../apps/server/dist/flows/orders/release.js";
import { makeMetrics } from "../../../apps/server/dist/metrics/metrics.js";
import { randomIds } from "../../../apps/server/dist/secrets/random-ids.js";
import { buildDeps } from "../../../apps/server/dist/start/build-deps.js";
import { openSafeDatabase } from "../../../apps/server/dist/start/safe-database.js";
import { readSecretKeys } from "../../../apps/server/dist/start/secret-keys.js";
import { makeStopList } from "../../../apps/server/dist/start/stop-list.js";

const config = readConfig(process.env);
const stops = makeStopList(() => {});
const connection = { connectionString: config.databaseUrl };
const progress = () => {};
const address = `http://localhost:${config.port}`;
const log = { level: "silent", child: () => log };
for (const level of ["trace", "debug", "info", "warn", "error", "fatal", "silent"])
  log[level] = progress;

const DECISIONS = {
  release: releaseOrder,
  refund: (deps, order) => refundOrder(deps, { ...order, by: "operator" }),
};

// Imported where it is needed: most of a start is the loading of modules. The front prepares the
// database, so the workers only open it.
const OPEN = {
  front: async () => {
    const { openStorage } = await import("../../../apps/server/dist/start/open-storage.js");
    const server = { connection };
    const parts = { config, server, ids: randomIds, address, stops, progress, warn: progress };
    return (await openStorage(parts)).database;
  },
  workers: () => openSafeDatabase(connection),
};

const START = {
  front: async (built) => {
    const { listen } = await import("../../../apps/server/dist/start/listen.js");
    await listen(built, { config, port: config.port });
  },
  workers: async ({ deps, sandbox }) => {
    const { startHoleFiller } = await import("../../../apps/server/dist/jobs/fill-holes.js");
    startHoleFiller(deps, { afterSeconds: config.fillPlacesAfterSeconds });
    const { startJobs } = await import("../../../apps/server/dist/jobs/worker.js");
    const { startDispatcher } = await import("../../../apps/server/dist/webhooks/dispatcher.js");
    startDispatcher({ ...deps, deliveryFaults: sandbox?.deliveryFaults });
    startJobs(deps);
  },
};

async function main() {
  const [half, armed] = process.argv.slice(2);
  watchFailpoints((name) => process.send?.({ passed: name }));
  armFailpoint(armed);
  const database = await OPEN[half]();
  const ring = readSecretKeys(config);
  const { metrics } = makeMetrics();
  const options = { config, ring, database, publicUrl: address, log, stops, metrics };
  const built = await buildDeps(options);
  await START[half](built);
  return built.deps;
}

let deps;
process.on("disconnect", () => process.exit(1));
process.on("message", async (message) => {
  if (message.arm !== undefined) armFailpoint(message.arm);
  if (message.decide) {
    const { decide, merchantId, orderId } = message;
    // The decision was carried out before a crash; the journey sees its effect.
    await DECISIONS[decide](deps, { merchantId, orderId: BigInt(orderId) }).catch(() => {});
  }
  process.send?.({ done: message.id });
});
deps = await main();
process.send?.({ ready: address });
