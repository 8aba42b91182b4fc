import { afterAll, beforeAll, expect, test } from "vitest";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { advanceOrder } from "../orders/advance.ts";
import { depositStep } from "./record-deposits.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

/** A network reports the order's coins under a transaction id. */
async function see(source: string, externalId: string) {
  const view = await world.order(ORDERS.sell);
  const instruction = found(view.instruction);
  const { assetId, units } = instruction;
  const state = "final" as const;
  const seen = { source, externalId, assetId, units, state, confirmations: 100, blockHash: "b" };
  await advanceOrder(world.deps, { orderId: view.order.id }, (order, now) =>
    depositStep(world.deps, order, now, { instruction, seen: [seen] }),
  );
  return listDeposits(world.database, view.order.id);
}

test("two networks may report the same transaction id, and both deposits are booked", async () => {
  expect(await see("ethereum", "0xsame:0")).toMatchObject([
    { source: "ethereum", state: "final", externalId: "0xsame:0" },
  ]);
  expect(await see("polygon", "0xsame:0")).toMatchObject([
    { source: "polygon", state: "final", externalId: "0xsame:0" },
  ]);
});

test("one output of one network pays one order only", async () => {
  await see("ethereum", "0xonce:0");
  await expect(see("ethereum", "0xonce:0")).rejects.toMatchObject({
    constraint: "deposits_rail_source_external_id_key",
  });
});
