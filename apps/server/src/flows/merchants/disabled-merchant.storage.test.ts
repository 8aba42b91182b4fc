import { afterAll, beforeAll, expect, test } from "vitest";
import type { MerchantDirectory } from "../../domain/ports/merchant-directory.ts";
import { readMerchantDirectory } from "../../storage/merchants/directory.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { disableMerchant } from "./update.ts";

let world: OrderWorld;
let directory: MerchantDirectory;
beforeAll(async () => {
  world = await makeOrderWorld({ directory: () => directory });
  directory = await readMerchantDirectory(world.database);
});
afterAll(() => world.close());

test("orders of a disabled merchant go on: money arrives, is exchanged and is paid out", async () => {
  const bought = await world.order(ORDERS.buyByBank);
  await disableMerchant(world.deps, {
    merchantId: MERCHANT_ID,
    reason: "a test",
    by: operatorNamed("anna"),
  });
  directory = await readMerchantDirectory(world.database);
  expect(directory.merchant(MERCHANT_ID)).toBeUndefined();
  await world.pay(bought);
  expect((await world.untilStatus(bought, "completed")).order.status).toBe("completed");
});
