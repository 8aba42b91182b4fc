import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLedger } from "../../storage/ledger/checks.ts";
import { listStops } from "../../storage/payouts/stops.ts";
import { statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { resumePayouts } from "./resume.ts";
import { stopPayouts } from "./stop.ts";

let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(async () => {
  expect(await checkLedger(world.database)).toMatchObject({ problems: [] });
  await world.close();
});

const TAKE_PLACE = statement(
  "test_take_place",
  `insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id, asset_reference, address,
     units, nonce, mined_at)
   select 'bitcoin', 'taken-' || next, $1, 'btc', 'somewhere', 5, next, clock_timestamp()
   from (select coalesce((select next_place from chain_wallets where network_code = 'bitcoin'), 0) as next) n`,
);

test("a payout whose place another transaction took ends, and its rail is stopped", async () => {
  await world.database.query(TAKE_PLACE, ["6f1c2a34-0000-4000-8000-0000000000aa"]);
  const placed = await world.order(ORDERS.buyByBank);
  await world.pay(placed);
  const held = await world.untilStatus(placed, "in_review");
  expect(held.order.statusReason).toBe("delivery_rejected");
  expect(found(held.payout)).toMatchObject({ state: "void" });
  expect(await listStops(world.database)).toMatchObject([
    { kind: "rail", subject: "chain:bitcoin", setBy: "auditor", peopleToResume: 2 },
  ]);
});

test("a payout that the chain made under another transaction is completed with that one", async () => {
  for (const person of ["anna", "ben"])
    await resumePayouts(world.deps, {
      kind: "rail",
      subject: "chain:bitcoin",
      by: operatorNamed(person),
    });
  const placed = await world.order(ORDERS.buyByBank);
  // A restored database signs again, at the same place, and the chain has the first signature.
  const stop = { kind: "all", subject: "" } as const;
  await stopPayouts(world.deps, { ...stop, reason: "a test", by: operatorNamed("anna") });
  await world.pay(placed);
  const sending = await world.until(placed, ({ payout }) => payout !== undefined);
  await world.database.query(TAKE_PLACE, [found(sending.payout).id]);
  for (const person of ["anna", "ben"]) {
    await resumePayouts(world.deps, { ...stop, by: operatorNamed(person) });
  }
  const done = await world.untilStatus(placed, "completed");
  expect(found(done.payout).settledHash).toMatch(/^taken-/);
});
