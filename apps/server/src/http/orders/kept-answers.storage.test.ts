import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Deps } from "../../flows/deps.ts";
import { payOrder } from "../../flows/orders/pay.ts";
import { tellRefundAddress } from "../../flows/orders/record-refund-address.ts";
import { refundOrder } from "../../flows/orders/refund.ts";
import { releaseOrder } from "../../flows/orders/release.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import { type Database, openDatabase, statement } from "../../storage/postgres/database.ts";
import { found } from "../../testing/catalogue.ts";
import { makeOrderWorld, ORDERS, type OrderWorld, STUCK_BITCOIN } from "../../testing/orders.ts";
import { MERCHANT_ID } from "../../testing/world.ts";
import { makeAnswerOrder } from "./kept-answers.ts";

let world: OrderWorld;
/** As another process of the service has it. */
let other: Database;
/** Runs after each statement and each database transaction of the service. */
let afterwards: () => Promise<void> = async () => {};

beforeAll(async () => {
  let opened: (database: Database) => void = () => {};
  const own = new Promise<Database>((resolve) => {
    opened = resolve;
  });
  const then = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    const result = await work(await own);
    await afterwards();
    return result;
  };
  world = await makeOrderWorld({
    database: {
      query: (sql, values) => then((database) => database.query(sql, values)),
      write: (sql, values) => then((database) => database.write(sql, values)),
      transaction: (work) => then((database) => database.transaction(work)),
      hint: (channel) => void own.then((database) => database.hint(channel)),
      listen: async (channel, onNotify) => (await own).listen(channel, onNotify),
      close: async () => {},
    },
  });
  opened(world.database);
  const [row] = await world.database.query<{ name: string }>(
    statement("database_name", "select current_database() as name"),
  );
  other = openDatabase({ ...inject("storageServer"), database: found(row).name });
});
afterAll(async () => {
  await world.close();
  await other.close();
});

const keyOf = ({ order }: OrderView) => ({ merchantId: MERCHANT_ID, orderId: order.id });
const KEEPS_NONE = { answers: 0, characters: 0 };

type Read = Pick<Deps, "database" | "catalogue">;

/** Reads by the other process; `statements` names what it asked the database, in turn. */
function watched(changes: Partial<Read> = {}) {
  const statements: string[] = [];
  const database: Database = {
    ...other,
    query: (sql, values) => {
      statements.push(sql.name);
      return other.query(sql, values);
    },
  };
  const read: Read = { database, catalogue: world.deps.catalogue, ...changes };
  return { read, statements, taken: () => statements.splice(0) };
}
const WHOLE = "order_views_find_stamped";
const STAMP = "order_stamps_read";

test("an order that did not change is not read again, and one that did is, at once", async () => {
  const { read, taken } = watched();
  const answer = makeAnswerOrder(read);
  const placed = await world.order(ORDERS.sell);
  const first = await answer(keyOf(placed));
  expect(taken()).toEqual([WHOLE]);
  expect(await answer(keyOf(placed))).toMatchObject(first);
  expect(taken()).toEqual([STAMP]);
  const to = { refundAddress: ORDERS.sell.request.refundAddress.toLowerCase() };
  await tellRefundAddress(world.deps, { ...keyOf(placed), to });
  const changed = await answer(keyOf(placed));
  expect(taken()).toEqual([STAMP, WHOLE]);
  expect(changed.payload).toContain(`"refundAddress":"${to.refundAddress}"`);
});

test("nobody reads the kept answer of another merchant or another session", async () => {
  const answer = makeAnswerOrder(watched().read);
  const placed = await world.order(ORDERS.transfer);
  const { sessionId } = placed.order;
  const { payload } = await answer(keyOf(placed));
  expect(await answer({ ...keyOf(placed), sessionId })).toMatchObject({ payload });
  const strangers = [{ merchantId: "client_dev_OTHER" }, { sessionId: "another" }];
  for (const stranger of strangers) {
    const refused = answer({ ...keyOf(placed), ...stranger });
    await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
});

test("a change that comes while an answer is made is shown by the next read", async () => {
  const placed = await world.order(ORDERS.buyByBank);
  const bump = statement(
    "bump",
    "update orders set status_reason = 'overpaid', version = version + 1 where id = $1",
  );
  const database: Database = {
    ...other,
    async query<Row>(...asked: Parameters<Database["query"]>) {
      const rows = await other.query<Row>(...asked);
      if (asked[0].name === WHOLE) await world.database.query(bump, [placed.order.id]);
      return rows;
    },
  };
  const answer = makeAnswerOrder({ database, catalogue: world.deps.catalogue });
  expect((await answer(keyOf(placed))).payload).toContain('"statusReason":null,"operationType"');
  expect((await answer(keyOf(placed))).payload).toContain('"statusReason":"overpaid"');
});

test("a new snapshot of the catalogue forgets all answers, those being made too", async () => {
  let catalogue: Catalogue = world.deps.catalogue();
  const renamed = (name: string): Catalogue => ({
    ...catalogue,
    paymentMethodById: (id) => ({ ...found(world.deps.catalogue().paymentMethodById(id)), name }),
  });
  const { read, taken } = watched({ catalogue: () => catalogue });
  const answer = makeAnswerOrder(read);
  const placed = await world.order(ORDERS.buyByBank);
  await answer(keyOf(placed));
  catalogue = renamed("Second");
  const slow = answer(keyOf(placed));
  catalogue = renamed("Third");
  expect((await slow).payload).toContain('"paymentMethod":"Third"');
  expect((await answer(keyOf(placed))).payload).toContain('"paymentMethod":"Third"');
  expect(taken()).toEqual([WHOLE, WHOLE, WHOLE]);
});

test("what is kept has a bound, and who was asked for last stays", async () => {
  const { read, taken } = watched();
  const [first, second, third] = (await Promise.all(
    [ORDERS.sell, ORDERS.swap, ORDERS.transfer].map(async (kind) => keyOf(await world.order(kind))),
  )) as [ReturnType<typeof keyOf>, ReturnType<typeof keyOf>, ReturnType<typeof keyOf>];
  const two = makeAnswerOrder(read, { answers: 2, characters: 1_000_000 });
  for (const key of [first, second, first, third, first, second]) await two(key);
  expect(taken()).toEqual([WHOLE, WHOLE, STAMP, WHOLE, STAMP, WHOLE]);
  const { length } = (await two(first)).payload;
  const small = makeAnswerOrder(read, { answers: 9, characters: length + 1 });
  taken();
  for (const key of [first, first, second, first]) await small(key);
  expect(taken()).toEqual([WHOLE, STAMP, WHOLE, WHOLE]);
});

const CARD = { number: "4000000000002701", expiryMonth: 12, expiryYear: 2099, cvv: "123" };
const ADDRESS = { line1: "1 Main St", city: "Berlin", postalCode: "10115", countryCode: "DE" };

/** Ways through every operation; each gives its order to `begun` and ends where nothing moves it. */
const WAYS: Readonly<Record<string, (begun: (view: OrderView) => OrderView) => Promise<unknown>>> =
  {
    ...Object.fromEntries(
      Object.entries(ORDERS).map(([name, kind]) => [
        name,
        async (begun) => {
          const placed = begun(await world.order(kind));
          await world.pay(placed);
          return world.untilStatus(placed, "completed");
        },
      ]),
    ),
    byCard: async (begun) => {
      const placed = begun(await world.order({ ...ORDERS.buyByBank, method: "card" }));
      await payOrder(world.deps, {
        ...keyOf(placed),
        sessionId: placed.order.sessionId,
        payment: {
          type: "card",
          card: { ...CARD, holderName: "Ada Lovelace" },
          billingAddress: ADDRESS,
          frequency: "one_time",
        },
      });
      return world.untilStatus(placed, "completed");
    },
    unconfirmed: async (begun) => {
      const placed = begun(await world.order(ORDERS.sell));
      await world.pay(placed, { confirmations: 0 });
      return world.untilStatus(placed, "payment_pending");
    },
    tooLittle: async (begun) => {
      const placed = begun(await world.order(ORDERS.swap));
      await world.pay(placed, { units: 5n });
      await world.untilStatus(placed, "in_review");
      await refundOrder(world.deps, { ...keyOf(placed), by: "merchant" });
      return world.untilStatus(placed, "refunded");
    },
    tooMuch: async (begun) => {
      const placed = begun(await world.order(ORDERS.buyByBank));
      await world.pay(placed, { units: placed.order.spendUnits + 700n });
      await world.untilStatus(placed, "in_review");
      await releaseOrder(world.deps, keyOf(placed));
      return world.until(placed, ({ refunds }) => refunds[0]?.state === "confirmed");
    },
    rejected: async (begun) => {
      const payout = { ...ORDERS.sell.request.payout, accountHolder: "Rejected Payout" };
      const placed = begun(
        await world.order({ ...ORDERS.sell, request: { ...ORDERS.sell.request, payout } }),
      );
      await world.pay(placed);
      return world.untilStatus(placed, "in_review");
    },
    stuck: async (begun) => {
      const request = { ...ORDERS.swap.request, walletAddress: STUCK_BITCOIN };
      const placed = begun(await world.order({ ...ORDERS.swap, request }));
      await world.pay(placed);
      return world.untilStatus(placed, "completed");
    },
  };

test("after each write of every operation, what is kept is what a read gives that keeps nothing", async () => {
  const { read } = watched();
  const kept = makeAnswerOrder(read);
  const fresh = makeAnswerOrder(read, KEEPS_NONE);
  const shown = new Map<bigint, Set<string>>();
  const stale: string[] = [];
  const compare = async ([orderId, texts]: readonly [bigint, Set<string>]): Promise<void> => {
    const key = { merchantId: MERCHANT_ID, orderId };
    const before = (await fresh(key)).payload;
    const { payload } = await kept(key);
    const after = (await fresh(key)).payload;
    texts.add(after);
    // Where it changed meanwhile either may be right.
    if (before === after && payload !== after) stale.push(`${payload}\n${after}`);
  };
  afterwards = async () => void (await Promise.all([...shown].map(compare)));
  const begun = (view: OrderView): OrderView => {
    shown.set(view.order.id, new Set());
    return view;
  };
  await Promise.all(Object.values(WAYS).map((way) => way(begun)));
  afterwards = async () => {};
  expect(stale).toEqual([]);
  for (const texts of shown.values()) expect(texts.size).toBeGreaterThan(1);
  expect([...shown.values()].reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(40);
});
