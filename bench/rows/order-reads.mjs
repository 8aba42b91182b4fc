import { startCustomers } from "../customers.mjs";
import { pgbenchBuiltin } from "../floors/pgbench.mjs";
import { load } from "../load.mjs";
import { withCpu } from "../processes.mjs";

const CONNECTIONS = 64;
const CLIENTS = 32;
/** The orders that are read in turn have their whole story: paid, sent, completed. */
const CUSTOMERS = 32;
const BUYING_SECONDS = 3;

async function prepare(service) {
  const customers = await startCustomers(service);
  const { orderIds } = await customers.buy({ customers: CUSTOMERS, seconds: BUYING_SECONDS });
  await customers.stop();
  const url = orderIds.map((id) => `${service.url}/orders/${id}`);
  const { headers, dataDir, pid } = service;
  const measure = (seconds, perSecond) =>
    withCpu(pid, () => load({ url, headers, connections: CONNECTIONS, seconds, perSecond }));
  return {
    floor: (seconds) => pgbenchBuiltin({ dataDir, name: "select-only", clients: CLIENTS, seconds }),
    service: measure,
    paced: measure,
    stop: () => {},
  };
}

export const rows = [
  {
    name: "GET one order",
    target: 0.4,
    floor: `pgbench selecting by key, ${CLIENTS} clients`,
    prepare,
  },
];
