import { socketOf } from "../postgres.mjs";
import { compiled } from "./service.mjs";

const READS = 200;
const PAGE = 51;

/**
 * The console's review queue, and its lists of orders by status and reason, read by the service's own statements on a connection of their
 * own. Over HTTP they need a signed-in person.
 */
export async function openLists({ dataDir, merchantId }) {
  const { openDatabase } = await compiled("storage/postgres/database.js");
  const { listNewestOrders } = await compiled("storage/orders/operator-orders.js");
  const { listReviews } = await compiled("storage/orders/reviews.js");
  const { host, port } = await socketOf(dataDir);
  const server = { host, port: Number(port), user: "postgres", database: "postgres" };
  const database = openDatabase({ ...server, poolSize: 1 });
  const read = (work) => ({
    times: READS,
    ask: async () => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    },
  });
  const list = (filter) => read(() => listNewestOrders(database, { ...filter, limit: PAGE }));
  const queue = (filter) =>
    read(() => listReviews(database, { account: "nobody", ...filter, limit: PAGE }));
  const [status, reason] = ["in_review", "overpaid"];
  return {
    calls: {
      "console: orders of a rare status": list({ status: "refunded" }),
      "console: orders of a status and a reason": list({ status, reason }),
      "console: orders of a merchant, a status and a reason": list({ merchantId, status, reason }),
      "console: orders of a reason that none has": list({ status, reason: "no_liquidity" }),
      "console: the review queue": queue({ which: "all" }),
      "console: the review queue, a reason, taken by nobody": queue({ which: "free", reason }),
    },
    close: () => database.close(),
  };
}
