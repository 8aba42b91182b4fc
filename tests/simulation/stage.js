import { createHash } from "node:crypto";
import { payOrder } from "../../apps/server/src/flows/orders/pay.js";
import { placeOrder } from "../../apps/server/src/flows/orders/place.js";
import { readOrder } from "../../apps/server/src/flows/orders/read.js";
import { startJobs } from "../../apps/server/src/jobs/worker.js";
import { statement } from "../../apps/server/src/storage/postgres/database.js";
import { MERCHANT_ID } from "../../apps/server/src/testing/world.js";
/** A Bitcoin address whose checksum is right. */
export const BITCOIN_ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
export const APPROVED_CARD = "4000000000002701";
const POLL_MS = 15;
/** Places the order of a session from one of its quotes, as a tab does. */
export const placeIn = (world, seat, quoteId, walletAddress = BITCOIN_ADDRESS) =>
  placeOrder(world.deps, { merchantId: MERCHANT_ID, ...seat, request: { quoteId, walletAddress } });
/** A new session with its order: 100 euro for bitcoin, by card. */
export async function placed(world) {
  const seat = await world.openSession();
  const quote = await world.quote(seat.sessionId);
  return placeIn(world, seat, quote.id);
}
export const payByCard = (world, { order }, number = APPROVED_CARD) =>
  payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: order.sessionId,
    orderId: order.id,
    payment: {
      type: "card",
      card: { number, expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada Lovelace" },
      billingAddress: {
        line1: "1 Main St",
        city: "Berlin",
        postalCode: "10115",
        countryCode: "DE",
      },
      frequency: "one_time",
    },
  });
export const look = (world, orderId) => readOrder(world.deps, { merchantId: MERCHANT_ID, orderId });
/** Waits until the order is as wished; the failure tells where it stands instead. */
export async function until(world, orderId, done) {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const view = await look(world, orderId);
    if (done(view)) return view;
    if (waitedMs > 30_000) throw new Error(`order ${orderId} stays ${view.order.status}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
/** Runs the workers while the scene plays. */
export async function withWorkers(world, count, scene) {
  const workers = Array.from({ length: count }, () => startJobs(world.deps));
  try {
    return await scene();
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}
/** A statement of the test's own, named by its text. */
export const sql = (text) =>
  statement(`simulation_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`, text);
export async function count(world, text, values) {
  const [row] = await world.database.query(sql(`select count(*)::int as count ${text}`), values);
  return row?.count ?? -1;
}
//# sourceMappingURL=stage.js.map
