import type { OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, statement } from "../../storage/postgres/database.ts";
import { CANARY, CUSTOMER, findInTables } from "../../testing/canary.ts";
import { type Ok, openBrowser, placeOrder } from "../../testing/checkout-browser.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { sealEarlierRows } from "./seal-earlier-rows.ts";

const VERSION = statement("test_order_version", "select version from orders");

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const run = (text: string) =>
  world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica; ${text}`),
  );
const rows = (text: string) => world.database.query(statement(text.slice(0, 60), text));
const version = async () =>
  Number((await world.database.query<{ version: number }>(VERSION))[0]?.version);
const read = async (path: string) =>
  (await world.call<Ok<OrderData>>({ url: `/v1${path}`, headers: world.shop.headers })).body.data;

const FIELDS = { accountHolder: CANARY.holder, iban: CANARY.iban };
const WORDS = [CANARY.email, CANARY.lastName, CANARY.holder, CANARY.street, CANARY.walletName];

/** Writes an order with its session, a card payment and 250 wallets as the last version stored them. */
async function writeEarlier(): Promise<OrderData> {
  const order = await placeOrder(world, await openBrowser(world));
  const id = BigInt(order.orderId);
  const sealed = world.deps.secrets.seal(JSON.stringify(FIELDS), `orders.payout:${id}`);
  const customer = JSON.stringify(CUSTOMER);
  await run(`
    delete from data_keys;
    update sessions set personal = null, customer = '${customer}', return_url = 'https://a.example/r'
      where order_id = ${id};
    update orders set personal = null, customer = '${customer}', metadata = '{"cart": "7"}',
      payout_sealed = '\\x${Buffer.from(sealed).toString("hex")}', payout_shown = '{"iban": "•• 3000"}'
      where id = ${id};
    insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand, last_four,
      asset_id, units, status, billing_address)
    select gen_random_uuid(), id, merchant_id, 1, 't', 'visa', '2701', spend_asset_id, spend_units,
      'declined', '{"line1": "${CANARY.street}"}' from orders where id = ${id};
    insert into wallets (merchant_id, currency_id, wallet_address, address_key, first_name, last_name)
    select '${world.shop.clientId}', spend_asset_id, 'a' || n, 'a' || n, '${CANARY.walletName}', ''
      from orders, generate_series(1, 250) n where id = ${id};`);
  return order;
}

test("the first start seals what an earlier version stored in the clear, even after a crash", async () => {
  const order = await writeEarlier();
  expect(await findInTables(world.database, WORDS)).not.toEqual([]);
  const before = await version();

  // A start that is killed has sealed whole batches.
  const crash = new Error("killed");
  let transactions = 0;
  const dying: typeof world.database.transaction = (work, ...options) => {
    transactions += 1;
    if (transactions > 1) throw crash;
    return world.database.transaction(work, ...options);
  };
  const database = { ...world.database, transaction: dying };
  await expect(sealEarlierRows({ ...world.deps, database })).rejects.toBe(crash);

  // Two processes start at once, and seal each row once.
  const sealed = await Promise.all([sealEarlierRows(world.deps), sealEarlierRows(world.deps)]);
  expect(sealed[0] + sealed[1]).toBe(1 + 1 + 250);
  expect(await findInTables(world.database, WORDS)).toEqual([]);
  expect(await sealEarlierRows(world.deps)).toBe(0);

  const shown = await read(`/orders/${order.orderId}`);
  expect(shown).toMatchObject({ customer: CUSTOMER, metadata: { cart: "7" } });
  expect(await read(`/sessions/${order.sessionId}`)).toMatchObject({
    customer: CUSTOMER,
    returnUrl: "https://a.example/r",
  });
  expect(await version()).toBe(before + 1);
});

test("a start ends although processes of an earlier version go on writing in the clear", async () => {
  let written = 0;
  const write = (): Promise<void> => {
    written += 1;
    if (written > 100) throw new Error("the start follows the writer");
    return run(`
      insert into wallets (merchant_id, currency_id, wallet_address, address_key, first_name, last_name)
      select '${world.shop.clientId}', (select min(id) from currencies), 'c${written} ' || n, 'c${written} ' || n,
        'Ada', '' from generate_series(1, 150) n`);
  };
  const meanwhile: Database["transaction"] = async (work, ...options) => {
    await write();
    return world.database.transaction(work, ...options);
  };
  const database = { ...world.database, transaction: meanwhile };
  expect(await sealEarlierRows({ ...world.deps, database })).toBe(written * 150);
  expect(await sealEarlierRows(world.deps)).toBe(0);
});

test("the database refuses to change the sealed data of an order", async () => {
  for (const change of ["personal = '\\x00'", "personal = null", "payout_sealed = '\\x00'"]) {
    await expect(rows(`update orders set version = version + 1, ${change}`)).rejects.toThrow(
      "what an order promises cannot be changed",
    );
  }
});
