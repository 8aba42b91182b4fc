import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExchangeControls } from "../domain/payouts/controls.ts";
import { setLiquidityLimit } from "../flows/payouts/set-liquidity-limit.ts";
import { readExchangeControls } from "../storage/payouts/exchange-controls.ts";
import { readDebt } from "../storage/payouts/liquidity.ts";
import { found } from "../testing/catalogue.ts";
import { operatorNamed } from "../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { followHeadroom } from "./follow-headroom.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

test("what an exchange takes is seen within seconds, and without limits nothing is read", async () => {
  let controls: ExchangeControls = await readExchangeControls(world.database);
  let updates = 0;
  const stop = followHeadroom(world.database, {
    current: () => controls,
    update: (liquidity) => {
      updates += 1;
      controls = { ...controls, ...liquidity };
    },
    failed: (error) => {
      throw error;
    },
  });
  const btc = found(world.deps.catalogue().currencyByCodeOrReference("btc")).id;
  const limit = 100_000_000n;
  const debt = { units: limit, scale: 8 };
  await setLiquidityLimit(world.deps, { currency: "btc", debt, by: operatorNamed("anna") });
  const view = await world.order(ORDERS.buyByBank);
  await world.pay(view);
  await world.untilStatus(view, "completed");
  // Still as it was read before there was a limit.
  expect(updates).toBe(0);
  controls = { ...controls, headroom: new Map([[btc, limit]]) };
  const left = limit - (await readDebt(world.database, btc));
  expect(left).toBeLessThan(limit);
  await expect.poll(() => controls.headroom.get(btc)).toBe(left);
  await stop();
});
