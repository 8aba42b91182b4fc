import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import { addressInForm } from "../../sandbox/chains/address-forms.ts";
import { makePlaceNewOrder } from "../../storage/orders/place.ts";
import { readExchangeControls } from "../../storage/payouts/exchange-controls.ts";
import { listStocks, nameLiveNetworks, readRoom } from "../../storage/treasury/stock.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../../testing/orders.ts";
import { MERCHANT_ID, openSession } from "../../testing/world.ts";
import { cancelOrder } from "../orders/cancel.ts";
import { placeOrder } from "../orders/place.ts";
import { releaseOrder } from "../orders/release.ts";
import { bookFloat } from "../payouts/book-float.ts";
import { Refusal } from "../refusal.ts";
import { setTreasuryLimits } from "./set-limits.ts";

/** Orders of the test receive 0.0011 BTC. */
const ORDER_UNITS = 110_000n;
const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const LITECOIN = addressInForm("litecoin", new Uint8Array(32));
const anna = operatorNamed("anna");
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));

let world: OrderWorld;
let btc: number;
let controls: ExchangeControls;
beforeAll(async () => {
  world = await makeOrderWorld({ controls: () => controls });
  controls = await readExchangeControls(world.database);
  btc = found(world.deps.catalogue().currencyByCodeOrReference("btc")).id;
});
afterAll(() => world.close());

/** Sets the units that the chain has after the sends below the place. */
async function holds(units: bigint, usedPlaces = 7): Promise<void> {
  await world.database.transaction((tx) => nameLiveNetworks(tx, ["bitcoin"]));
  await run(`insert into wallet_balances (wallet_id, asset_id, units, height, used_places)
    values ('btc-hot', ${btc}, ${units}, 1, ${usedPlaces})
    on conflict (wallet_id, asset_id) do update set units = excluded.units,
      used_places = excluded.used_places`);
  await refresh();
}
const refresh = async (): Promise<void> => {
  controls = await readExchangeControls(world.database);
};
const freed = async (): Promise<void> => {
  await run("delete from stock_claims");
  await world.database.transaction((tx) => nameLiveNetworks(tx, []));
  await refresh();
};
const room = async (): Promise<bigint | undefined> => (await readRoom(world.database)).get(btc);
const setFloor = async (coins: bigint | null): Promise<void> => {
  const floor = coins === null ? null : { units: coins, scale: 8 };
  const limits = { floor, low: undefined, target: undefined, ceiling: undefined };
  await setTreasuryLimits(world.deps, { currency: "btc", limits, by: anna });
  await refresh();
};

/** Places an order by card, and returns its id or the code of the refusal. */
async function place(deps = world.deps): Promise<bigint | string> {
  const { sessionId, tokenJti } = await openSession(deps);
  const { id: quoteId } = await world.quote(sessionId);
  const request = { quoteId, walletAddress: BITCOIN };
  return placeOrder(deps, { merchantId: MERCHANT_ID, sessionId, tokenJti, request }).then(
    ({ order }) => order.id,
    (error: unknown) => (error instanceof Refusal ? error.code : Promise.reject(error)),
  );
}
const cancel = (orderId: unknown) =>
  cancelOrder(world.deps, {
    merchantId: MERCHANT_ID,
    orderId: orderId as bigint,
    by: "merchant",
  });

test("in the sandbox the stock is unlimited, and with a floor it is what the books have", async () => {
  await freed();
  expect(await room()).toBeUndefined();
  await setFloor(0n);
  const before = found(await room());
  const fund = { units: ORDER_UNITS - before, scale: 8 };
  const transaction = "0123456789abcdef";
  const direction = "in" as const;
  await bookFloat(world.deps, { currency: "btc", amount: fund, direction, transaction, by: anna });
  expect(await room()).toBe(ORDER_UNITS);
  await refresh();
  const id = await place();
  expect(typeof id).toBe("bigint");
  expect(await place()).toBe("LIQUIDITY_UNAVAILABLE");
  await cancel(id);
  await setFloor(null);
  expect(await room()).toBeUndefined();
});

describe("orders that a stock bounds", () => {
  beforeAll(() =>
    run(`insert into chain_wallets (id, network_code, address, next_place)
      values ('btc-hot', 'bitcoin', 'bc1qhot', 7)`),
  );
  beforeEach(freed);
  afterAll(freed);

  test("fifty at once promise what there is to the last unit, from two processes, and no more", async () => {
    await holds(5n * ORDER_UNITS);
    const other = { ...world.deps, placeNewOrder: makePlaceNewOrder(world.database) };
    const placed = await Promise.all(
      Array.from({ length: 50 }, (_, line) => place(line % 2 ? other : world.deps)),
    );
    const ids = placed.filter((id) => typeof id === "bigint");
    expect(ids).toHaveLength(5);
    expect(new Set(placed.filter((id) => typeof id !== "bigint"))).toEqual(
      new Set(["LIQUIDITY_UNAVAILABLE"]),
    );
    expect(await room()).toBe(0n);
    await cancel(ids[0]);
    expect(await room()).toBe(ORDER_UNITS);
    const next = await place();
    expect(typeof next).toBe("bigint");
    await Promise.all([...ids.slice(1), next].map(cancel));
    expect(await room()).toBe(5n * ORDER_UNITS);
  });

  test("wait for a promise of the same asset that is not committed yet", async () => {
    await holds(ORDER_UNITS);
    let id: bigint | string | undefined;
    let placing = Promise.resolve();
    await world.database.transaction(async (tx) => {
      await tx.runScript(`select lock_stock(array[${btc}])`);
      await tx.runScript("update wallet_balances set units = 1");
      placing = place().then((placed) => {
        id = placed;
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(id).toBeUndefined();
    });
    await placing;
    expect(id).toBe("LIQUIDITY_UNAVAILABLE");
  });

  test("are not placed into the floor, and a network without a hot wallet sells nothing", async () => {
    await holds(3n * ORDER_UNITS);
    await setFloor(2n * ORDER_UNITS + 1n);
    expect(await place()).toBe("LIQUIDITY_UNAVAILABLE");
    await setFloor(2n * ORDER_UNITS);
    const id = await place();
    expect(typeof id).toBe("bigint");
    await cancel(id);
    await setFloor(null);
    await run("delete from wallet_balances");
    await refresh();
    expect(await place()).toBe("LIQUIDITY_UNAVAILABLE");
  });

  test("is not quoted below the floor, nor beyond the stock", async () => {
    await holds(ORDER_UNITS / 10n);
    const refusal = await world.order(ORDERS.buyByBank).catch((error: Refusal) => error.code);
    expect(refusal).toBe("LIQUIDITY_UNAVAILABLE");
    await holds(10_000n * ORDER_UNITS);
    await setFloor(10_000n * ORDER_UNITS - 1n);
    const floored = await world.order(ORDERS.buyByBank).catch((error: Refusal) => error.code);
    expect(floored).toBe("LIQUIDITY_UNAVAILABLE");
    await setFloor(null);
  });

  test("are not placed for a stock that its issuer froze, but the stock is still listed", async () => {
    await holds(3n * ORDER_UNITS);
    const stock = async () =>
      (await listStocks(world.database)).find(({ assetId }) => assetId === btc);
    const { promised } = found(await stock());
    expect(await stock()).toMatchObject({ onHand: 3n * ORDER_UNITS, frozen: null });
    await run("update wallet_balances set is_frozen = true");
    expect(await place()).toBe("LIQUIDITY_UNAVAILABLE");
    expect(await room()).toBe(-promised);
    expect(await stock()).toMatchObject({ onHand: 0n, frozen: 3n * ORDER_UNITS });
    await run("update wallet_balances set is_frozen = false");
    expect(typeof (await place())).toBe("bigint");
  });

  test("a paid order whose coins are gone waits for a person, and nothing is promised", async () => {
    await holds(10_000n * ORDER_UNITS);
    const view = await world.order(ORDERS.buyByBank);
    await holds(0n);
    await world.pay(view);
    const held = await world.untilStatus(view, "in_review");
    expect(held.order.statusReason).toBe("no_liquidity");
    expect(held.payout).toBeUndefined();
  });

  test("a payout that left counts once: as a promise, then as what the chain no longer has", async () => {
    await holds(10_000n * ORDER_UNITS);
    const view = await world.order(ORDERS.buyByBank);
    const { receiveUnits } = view.order;
    const left = 10_000n * ORDER_UNITS - receiveUnits;
    expect(await room()).toBe(left);
    await world.pay(view);
    await world.untilStatus(view, "completed");
    // The chain's final balance does not have the payout yet.
    expect(await room()).toBe(left);
    await holds(left, 8);
    expect(await room()).toBe(left);
    const [stock] = (await listStocks(world.database)).filter(({ assetId }) => assetId === btc);
    expect(stock).toMatchObject({ onHand: left, promised: 0n });
  });

  test("an order that is paid while its stock is frozen waits for a person, who releases it after the thaw", async () => {
    await holds(10_000n * ORDER_UNITS);
    const view = await world.order(ORDERS.buyByBank);
    await run("update wallet_balances set is_frozen = true");
    await world.pay(view);
    const held = await world.untilStatus(view, "in_review");
    expect([held.order.statusReason, held.payout]).toEqual(["no_liquidity", undefined]);
    await run("update wallet_balances set is_frozen = false");
    await releaseOrder(world.deps, { orderId: view.order.id, merchantId: MERCHANT_ID });
    await world.untilStatus(view, "completed");
  });
});

test("a paid order is exchanged while the change of another send is in no block", async () => {
  const taken = randomUUID();
  const outpoint = `${"ab".repeat(32)}:0`;
  const coin = 1_000_000_000n;
  await world.database.transaction((tx) => nameLiveNetworks(tx, ["litecoin"]));
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('litecoin', 100, 'x', 90);
    insert into chain_wallets (id, network_code, address, kind, next_place)
      values ('ltc-hot', 'litecoin', 'xpub', 'coins', null);
    insert into chain_coins (network_code, outpoint, account, branch, key_index, units, height, matures_at)
      values ('litecoin', '${outpoint}', 'aabbccdd', 0, 0, ${coin}, 80, 81)`);
  await refresh();
  const wanted = { ...ORDERS.buyByBank, receive: "ltc", request: { walletAddress: LITECOIN } };
  const [paid, late] = [await world.order(wanted), await world.order(wanted)];
  // The price may move between the two orders.
  const last = late.order.receiveUnits;
  const both = paid.order.receiveUnits + last;
  const reasonOf = async (view: typeof paid): Promise<string | null> => {
    await world.pay(view);
    const isDone = ["sending", "completed", "in_review"];
    return (await world.until(view, ({ order }) => isDone.includes(order.status))).order
      .statusReason;
  };
  await run(`
    insert into chain_sends (id, wallet_id, purpose, state) values ('${taken}', 'ltc-hot', 'rebalance', 'signed');
    insert into chain_send_outputs (send_id, number, units, address, asset_id)
      select '${taken}', 1, ${coin - both}, 'ltc1cold', id from currencies where reference = 'ltc';
    update chain_coins set send_id = '${taken}' where outpoint = '${outpoint}'`);
  expect(await reasonOf(paid)).toBeNull();
  await run(`set local session_replication_role = replica;
    update chain_send_outputs set units = ${coin - last + 1n} where send_id = '${taken}'`);
  expect(await reasonOf(late)).toBe("no_liquidity");
});

test.each([
  ["nocoin", { floor: { units: 1n, scale: 0 } }, "NOT_FOUND"],
  ["eur", { floor: { units: 1n, scale: 0 } }, "NOT_FOUND"],
  ["btc", { floor: { units: 1n, scale: 9 } }, "AMOUNT_PRECISION"],
  ["btc", { floor: { units: 2n, scale: 0 }, low: { units: 1n, scale: 0 } }, "INVALID_INPUT"],
  ["btc", { target: { units: 2n, scale: 0 }, ceiling: { units: 1n, scale: 0 } }, "INVALID_INPUT"],
])("limits of %s that make no sense are refused", async (currency, some, code) => {
  const limits = { floor: undefined, low: undefined, target: undefined, ceiling: undefined };
  await expect(
    setTreasuryLimits(world.deps, { currency, limits: { ...limits, ...some }, by: anna }),
  ).rejects.toMatchObject({ code });
});
