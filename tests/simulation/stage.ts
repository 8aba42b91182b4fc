import { inject } from "vitest";
import type { OrderView } from "../../apps/server/src/domain/orders/view.ts";
import { payOrder } from "../../apps/server/src/flows/orders/pay.ts";
import { placeOrder } from "../../apps/server/src/flows/orders/place.ts";
import { readOrder } from "../../apps/server/src/flows/orders/read.ts";
import { startJobs } from "../../apps/server/src/jobs/worker.ts";
import { type Database, openDatabase } from "../../apps/server/src/storage/postgres/database.ts";
import { cardPayment } from "../../apps/server/src/testing/orders.ts";
import { MERCHANT_ID, type World } from "../../apps/server/src/testing/world.ts";
import { sql } from "./books.ts";

/** A Bitcoin address whose checksum is right. */
export const BITCOIN_ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const POLL_MS = 15;

export interface Seat {
  readonly sessionId: string;
  readonly tokenJti: string;
}

/** Places the order of a session from one of its quotes, as a tab does. */
export const placeIn = (
  world: World,
  seat: Seat,
  quoteId: string,
  walletAddress = BITCOIN_ADDRESS,
): Promise<OrderView> =>
  placeOrder(world.deps, { merchantId: MERCHANT_ID, ...seat, request: { quoteId, walletAddress } });

/** A new session with its order: 100 euro for bitcoin, by card. */
export async function placed(world: World): Promise<OrderView> {
  const seat = await world.openSession();
  const quote = await world.quote(seat.sessionId);
  return placeIn(world, seat, quote.id);
}

export const payByCard = (
  world: World,
  { order }: OrderView,
  number?: string,
): Promise<OrderView> =>
  payOrder(world.deps, {
    merchantId: MERCHANT_ID,
    sessionId: order.sessionId,
    orderId: order.id,
    payment: cardPayment(number),
  });

export const look = (world: World, orderId: bigint): Promise<OrderView> =>
  readOrder(world.deps, { merchantId: MERCHANT_ID, orderId });

/** Waits until the order is as expected. The failure has its status instead. */
export async function until(
  world: World,
  orderId: bigint,
  done: (view: OrderView) => boolean,
): Promise<OrderView> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const view = await look(world, orderId);
    if (done(view)) return view;
    if (waitedMs > 60_000) throw new Error(`order ${orderId} stays ${view.order.status}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Runs job workers during the scene. */
export async function withWorkers<T>(
  world: World,
  count: number,
  scene: () => Promise<T>,
): Promise<T> {
  const workers = Array.from({ length: count }, () => startJobs(world.deps));
  try {
    return await scene();
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** Opens connections on which PostgreSQL looks for a deadlock at once, not after a second. */
export async function impatientDatabase(world: World): Promise<Database> {
  const name = await databaseName(world.database);
  await world.database.query(sql(`alter database ${name} set deadlock_timeout = '10ms'`));
  return openDatabase({ ...inject("storageServer"), database: name });
}

export async function databaseName(database: Database): Promise<string> {
  const [row] = await database.query<{ name: string }>(sql("select current_database() as name"));
  return row?.name ?? "";
}
