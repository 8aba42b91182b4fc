import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capsOfEuro } from "../../domain/orders/open-orders.ts";
import { makePlaceNewOrder } from "../../storage/orders/place.ts";
import { statement } from "../../storage/postgres/database.ts";
import { plainSession } from "../../testing/sessions.ts";
import { MERCHANT_ID, makeWorld, type World } from "../../testing/world.ts";
import { sealSession } from "../customers/personal-data.ts";
import { Refusal } from "../refusal.ts";
import { cancelOrder } from "./cancel.ts";
import { placeOrder } from "./place.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const NO_CAPS = { pair: 0, merchant: 0, customer: 0 };

/** Places an order of 100 euro, and returns its id or the refusal's code and message. */
async function place(caps: Partial<typeof NO_CAPS>, reference?: string, on = world.deps) {
  const sessionId = crypto.randomUUID();
  const customer = reference === undefined ? {} : { reference };
  const person = { customer, metadata: {}, returnUrl: null };
  const owner = { merchantId: MERCHANT_ID, sessionId };
  const { newKey, ...sealed } = sealSession(world.deps, owner, person);
  const session = { ...plainSession(MERCHANT_ID, sessionId), ...sealed, newKey };
  await world.deps.openSession(session);
  const quote = await world.quote(sessionId);
  const deps = { ...on, openOrderCaps: capsOfEuro({ ...NO_CAPS, ...caps }) };
  const request = { quoteId: quote.id, walletAddress: BITCOIN };
  const { tokenJti } = session;
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

describe.each(["pair", "merchant"] as const)("open orders of a %s", (scope) => {
  test("are refused beyond the cap, and fit again when one has ended", async () => {
    const ids = [await place({ [scope]: 250 }), await place({ [scope]: 250 })];
    expect(ids.map((id) => typeof id)).toEqual(["bigint", "bigint"]);
    expect(await place({ [scope]: 250 })).toBe("LIQUIDITY_UNAVAILABLE");
    await cancel(ids[0]);
    const third = await place({ [scope]: 250 });
    expect(typeof third).toBe("bigint");
    await Promise.all([cancel(ids[1]), cancel(third)]);
  });

  test("placed at once fill the cap to its last cent, and do not exceed it", async () => {
    const placed = await Promise.all(Array.from({ length: 50 }, () => place({ [scope]: 500 })));
    const ids = placed.filter((id) => typeof id === "bigint");
    expect(ids).toHaveLength(5);
    expect(new Set(placed.filter((id) => typeof id !== "bigint"))).toEqual(
      new Set(["LIQUIDITY_UNAVAILABLE"]),
    );
    await Promise.all(ids.map(cancel));
  });
});

test("open orders of one customer are capped, by the merchant's reference alone", async () => {
  const ids = [await place({ customer: 150 }, "ada"), await place({ customer: 150 }, "grace")];
  expect(await place({ customer: 150 }, "ada")).toBe("LIQUIDITY_UNAVAILABLE");
  ids.push(await place({ customer: 150 }), await place({ customer: 150 }));
  expect(ids.map((id) => typeof id)).toEqual(["bigint", "bigint", "bigint", "bigint"]);
  await Promise.all(ids.map(cancel));
});

test("two processes that place at once share the caps", async () => {
  const other = { ...world.deps, placeNewOrder: makePlaceNewOrder(world.database) };
  const placed = await Promise.all(
    Array.from({ length: 30 }, (_, line) =>
      place({ pair: 700 }, undefined, line % 2 ? other : world.deps),
    ),
  );
  const ids = placed.filter((id) => typeof id === "bigint");
  expect(ids).toHaveLength(7);
  await Promise.all(ids.map(cancel));
});

test("an order that is gone counts no more than one that has ended", async () => {
  const add = statement(
    "test_add_open_order",
    `insert into open_orders (order_id, merchant_id, spend_asset_id, receive_asset_id, euro_cents)
     select 1, merchant_id, spend_asset_id, receive_asset_id, 100000 from orders limit 1`,
  );
  await world.database.query(add);
  const id = await place({ pair: 150, merchant: 150 });
  expect(typeof id).toBe("bigint");
  await cancel(id);
});

const COUNTED = statement("test_open_orders", "select order_id::text as id from open_orders");
const HOLD = statement(
  "test_hold_order",
  `update orders set status = 'in_review', status_reason = 'operator_hold', held_from = status,
     version = version + 1
   where id = $1`,
);

test("an order that has ended leaves the rows that are summed, and one in review stays", async () => {
  const ids = [
    await place({ pair: 1_000 }),
    await place({ pair: 1_000 }),
    await place({ pair: 1_000 }),
  ];
  await world.database.query(HOLD, [ids[1]]);
  await cancel(ids[0]);
  const counted = await world.database.query<{ id: string }>(COUNTED);
  const isCounted = (id: unknown) => counted.some((row) => row.id === String(id));
  expect(ids.map(isCounted)).toEqual([false, true, true]);
  await cancel(ids[2]);
});

test("without caps no order is counted", async () => {
  const ids = [await place({}), await place({}), await place({})];
  expect(ids.map((id) => typeof id)).toEqual(["bigint", "bigint", "bigint"]);
});
