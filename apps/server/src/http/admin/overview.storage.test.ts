import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { unnamedStatement } from "../../storage/postgres/database.ts";
import { useConsole } from "../../testing/console-world.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";

const desk = useConsole(makeOrderWorld);

const PLACE_EARLIER = unnamedStatement(
  "update orders set created_at = created_at - $2::interval, version = version + 1 where id = $1",
);

async function orderPlaced(ago: string): Promise<number> {
  const { order } = await desk.world.order(ORDERS.buyByBank);
  await desk.world.database.query(PLACE_EARLIER, [order.id, ago]);
  return Number(order.id);
}

test("the overview counts exactly the orders that a list with its bounds has", async () => {
  const viewer = await desk.person(["viewer"]);
  const counted = [await orderPlaced("0"), await orderPlaced("23 hours 59 minutes")];
  const earlier = await orderPlaced("24 hours 1 second");

  const { lastDay } = (await viewer.call(CALLS.readOverview)).body.data;
  const { from, before } = lastDay;
  expect(before - from).toBe(86_400);
  const list = (await viewer.call(CALLS.listAllOrders, { query: { from, before } })).body.data;
  const ids = list.map(({ orderId }) => orderId);
  expect(new Set(ids)).toEqual(new Set(counted));
  expect(ids).not.toContain(earlier);
  expect(lastDay).toMatchObject({ placed: 2, completed: 0, refunded: 0 });
});
