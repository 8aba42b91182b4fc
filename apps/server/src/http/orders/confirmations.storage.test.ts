import { parseDecimal } from "@exchange/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { confirmDeposit } from "../../sandbox/chains/deposits.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { presentPayment } from "./present-payment.ts";

// Bitcoin needs 2 confirmations up to 1,000 euro and 6 above. At the catalogue's rate 1,000 euro are 0.0121 BTC.
const BOUNDARY = 1_210_000n;
const BTC = {
  ...ORDERS.sell,
  spend: "btc",
  request: { ...ORDERS.sell.request, refundAddress: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" },
};

let catalogue: Catalogue | undefined;
let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
  const shipped = world.deps.catalogue();
  await world.close();
  world = await makeOrderWorld({ catalogue: () => catalogue ?? shipped });
});
afterAll(() => world.close());

const sell = (amount: string): Promise<OrderView> => world.order({ ...BTC, amount });
const shown = async (view: OrderView) =>
  presentPayment(await world.read(view), world.deps.catalogue()).instructions
    ?.confirmationsRequired;
const depositsOf = async (view: OrderView) =>
  (await world.read(view)).deposits.map((one) => [one.state, one.confirmationsRequired]);

/** Brings a payment to a number of confirmations, and waits until the order has recorded it. */
async function confirm(view: OrderView, id: string, confirmations: number): Promise<void> {
  await confirmDeposit(world.database, id, confirmations);
  await world.hurry(view);
  await world.until(view, ({ deposits }) =>
    deposits.some((deposit) => deposit.confirmations === confirmations),
  );
}

test.each([
  ["at the boundary", "0.0121", 2],
  ["one unit above it", "0.01210001", 6],
] as const)(
  "a deposit %s is final at the number that was shown",
  async (_where, amount, number) => {
    const view = await sell(amount);
    expect(await shown(view)).toBe(number);
    const id = await world.pay(view, { confirmations: 0 });
    await world.until(view, ({ deposits }) => deposits.length === 1);
    await confirm(view, id, number - 1);
    await world.untilStatus(view, "payment_pending");
    expect(await depositsOf(view)).toEqual([["seen", number]]);
    expect(await shown(view)).toBe(number);
    await confirm(view, id, number);
    await world.untilStatus(view, "completed");
    expect(await depositsOf(view)).toEqual([["final", number]]);
    expect(await shown(view)).toBe(number);
  },
);

test("more coins than a small order asked for need the number of a large deposit", async () => {
  const view = await sell("0.002");
  expect(await shown(view)).toBe(2);
  const id = await world.pay(view, { units: BOUNDARY + 1n, confirmations: 1 });
  await world.untilStatus(view, "payment_pending");
  expect(await shown(view)).toBe(6);
  await confirm(view, id, 5);
  expect(await depositsOf(view)).toEqual([["seen", 6]]);
  await confirm(view, id, 6);
  await world.until(view, ({ deposits }) => deposits.every(({ state }) => state === "final"));
});

test("small deposits that are large together all need the larger number", async () => {
  const view = await sell("0.002");
  const first = await world.pay(view, { units: 700_000n, confirmations: 1 });
  await world.untilStatus(view, "payment_pending");
  expect(await depositsOf(view)).toEqual([["seen", 2]]);
  await world.pay(view, { units: 700_000n, confirmations: 0 });
  await world.until(view, ({ deposits }) => deposits.length === 2);
  expect(await depositsOf(view)).toEqual([
    ["seen", 6],
    ["seen", 6],
  ]);
  expect(await shown(view)).toBe(6);
  await confirm(view, first, 5);
  expect((await depositsOf(view))[0]).toEqual(["seen", 6]);
});

test("the number of a deposit that was seen stays, whatever its coin is worth later", async () => {
  const view = await sell("0.0122");
  const id = await world.pay(view, { confirmations: 1 });
  await world.untilStatus(view, "payment_pending");
  expect(await depositsOf(view)).toEqual([["seen", 6]]);
  const before = world.deps.catalogue();
  const perEuro = found(parseDecimal("0.0001"));
  const currencies = before.currencies.map((one) =>
    one.code === "BTC" ? { ...one, perEuro } : one,
  );
  catalogue = buildCatalogue({ ...before, currencies });
  expect(await shown(view)).toBe(6);
  await confirm(view, id, 5);
  expect(await depositsOf(view)).toEqual([["seen", 6]]);
  // An order that nobody has paid yet has the present number.
  expect(await shown(await sell("0.0122"))).toBe(2);
  catalogue = undefined;
});
