import { ADMIN_ENDPOINTS as CALLS } from "@exchange/contract/admin";
import { expect, test } from "vitest";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { changeWebhookEndpoint } from "../../flows/webhooks/change-endpoint.ts";
import { unnamedStatement } from "../../storage/postgres/database.ts";
import { useConsole } from "../../testing/console-world.ts";
import { makeOrderWorld, ORDERS } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const desk = useConsole(makeOrderWorld);

const PLACE_EARLIER = unnamedStatement(
  "update orders set created_at = created_at - $2::interval, version = version + 1 where id = $1",
);

const LET_AN_HOUR_PASS = unnamedStatement(
  "update installation set clock_offset = clock_offset + interval '1 hour'",
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

test("webhooks that wait at a disabled endpoint are pending and not late", async () => {
  const viewer = await desk.person(["viewer"]);
  const { deps } = desk.world;
  const merchant = { merchantId: MERCHANT_ID, url: "http://localhost:9/hook" };
  const { endpoint } = await addWebhookEndpoint(deps, merchant);
  await orderPlaced("0");
  await desk.world.database.query(LET_AN_HOUR_PASS);
  const read = async () => (await viewer.call(CALLS.readOverview)).body.data;
  const { pendingDeliveries, deliveriesLateSeconds } = await read();
  expect(pendingDeliveries).toBeGreaterThan(0);
  expect(deliveriesLateSeconds).toBeGreaterThanOrEqual(3_600);
  const key = { merchantId: MERCHANT_ID, endpointId: endpoint.id, by: "merchant" } as const;
  await changeWebhookEndpoint(deps, { ...key, enabled: false });
  expect(await read()).toMatchObject({ pendingDeliveries, deliveriesLateSeconds: 0 });
});
