import { socketOf } from "../postgres.mjs";
import { compiled } from "./service.mjs";

const READS = 200;
const PAGE = 51;
/** books.sql pays every order for coins to this address. */
const POPULAR_ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

/**
 * The console's review queue, its lists of orders by status and reason, and its searches by address and card, read by the service's own
 * statements on a connection of their own. Over HTTP they need a signed-in person.
 */
export async function openLists({ dataDir, merchantId }) {
  const { openDatabase } = await compiled("storage/postgres/database.js");
  const { listNewestOrders } = await compiled("storage/orders/operator-orders.js");
  const { listReviews } = await compiled("storage/orders/reviews.js");
  const { searchCards, searchDestinations } = await compiled("storage/orders/search.js");
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
  const card = (lastFour) => read(() => searchCards(database, { lastFour, merchantId: null }));
  const address = (text) => read(() => searchDestinations(database, text));
  const [status, reason] = ["in_review", "overpaid"];
  return {
    calls: {
      "console: orders of a rare status": list({ status: "refunded" }),
      "console: orders of a status and a reason": list({ status, reason }),
      "console: orders of a merchant, a status and a reason": list({ merchantId, status, reason }),
      "console: orders of a reason that none has": list({ status, reason: "no_liquidity" }),
      "console: the review queue": queue({ which: "all" }),
      "console: the review queue, a reason, taken by nobody": queue({ which: "free", reason }),
      "console: a search by the address of most orders": address(POPULAR_ADDRESS),
      "console: a search by an address that none has": address(
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      ),
      "console: a search by the digits of all cards": card("2701"),
      "console: a search by digits that no card has": card("9999"),
    },
    close: () => database.close(),
  };
}
