import { startCustomers } from "../customers.mjs";
import { pgbenchBuiltin } from "../floors/pgbench.mjs";
import { withCpu } from "../processes.mjs";

/** So many orders are under way at once: the sandbox's rails alone take most of a second for each. */
const CUSTOMERS = 256;
const CLIENTS = 32;

async function prepare(service) {
  const customers = await startCustomers(service);
  return {
    floor: (seconds) =>
      pgbenchBuiltin({ dataDir: service.dataDir, name: "tpcb-like", clients: CLIENTS, seconds }),
    service: (seconds) =>
      withCpu(service.pid, async () => {
        const { orderIds, ...bought } = await customers.buy({ customers: CUSTOMERS, seconds });
        // The orders before and after the measured time cost their processor's time too.
        return { ...bought, requests: orderIds.length };
      }),
    stop: customers.stop,
  };
}

export const rows = [
  {
    name: "orders, placed to completed and told",
    target: 0.15,
    floor: `pgbench TPC-B-like, ${CLIENTS} clients`,
    prepare,
  },
];
