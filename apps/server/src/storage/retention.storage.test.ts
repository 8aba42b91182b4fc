import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sealSession } from "../flows/customers/personal-data.ts";
import { readWallet } from "../flows/wallets/read.ts";
import { saveWallet } from "../flows/wallets/save.ts";
import { startClearing } from "../jobs/clearing.ts";
import { WALLET } from "../testing/canary.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { plainSession } from "../testing/sessions.ts";
import { MERCHANT_ID } from "../testing/world.ts";
import { type Statement, statement } from "./postgres/database.ts";
import {
  clearOldKeyAddresses,
  clearOldSessions,
  eraseOldOrders,
  eraseOldWalletNames,
} from "./retention.ts";

const RETENTION = {
  ordersRetentionDays: 100,
  sessionsRetentionDays: 10,
  walletsRetentionDays: 20,
  addressesRetentionDays: 30,
};
let world: OrderWorld;
beforeAll(async () => {
  world = await makeOrderWorld();
});
afterAll(() => world.close());

const run = (text: string) => world.database.query(statement(text.slice(0, 60), text));
const KEYS = statement("test_data_keys", "select kind, row_key from data_keys order by created_at");
const keys = async () =>
  (await world.database.query<{ row_key: string }>(KEYS)).map(({ row_key }) => row_key);

async function openNamedSession(sessionId: string): Promise<void> {
  const person = { customer: { email: "ada@a.example" }, metadata: {}, returnUrl: null };
  const owner = { merchantId: MERCHANT_ID, sessionId };
  const { newKey, ...sealed } = sealSession(world.deps, owner, person);
  await world.deps.openSession({ ...plainSession(MERCHANT_ID, sessionId), ...sealed, newKey });
}

const WALLET_KEY = statement("test_wallet_key", "select currency_id, address_key from wallets");

async function walletKey(): Promise<string> {
  const [row] = await world.database.query<{ currency_id: number; address_key: string }>(
    WALLET_KEY,
  );
  return `${row?.currency_id}:${row?.address_key}`;
}

/** Runs the same statement as in another hour of the day: each hour scans a part of the sessions. */
const atHour = (hour: number) => ({
  ...world.database,
  write: (sql: Statement, values?: readonly unknown[]) =>
    world.database.write(
      statement(`${sql.name}_${hour}`, sql.text.replace("extract(hour from now())", `${hour}`)),
      values,
    ),
});

async function clearAllSessions(days: number): Promise<number> {
  let cleared = 0;
  for (let hour = 0; hour < 24; hour++) {
    cleared += await clearOldSessions(atHour(hour), 1_000, days);
  }
  return cleared;
}

const daysPass = (days: number) =>
  run(`update installation set clock_offset = interval '${days} days'`);

async function pass(): Promise<void> {
  await eraseOldOrders(world.database, 1_000, RETENTION.ordersRetentionDays);
  await eraseOldWalletNames(world.database, 1_000, RETENTION.walletsRetentionDays);
}

test("each kind of personal data goes after its own time, and an open order keeps its data", async () => {
  const user = { firstName: "Ada", lastName: "Lovelace" };
  const question = { walletAddress: WALLET, currency: "btc", networkCode: "bitcoin" };
  const { id } = await saveWallet(world.deps, { merchantId: MERCHANT_ID, question, user });
  const ended = await world.order(ORDERS.buyByBank);
  await world.pay(ended);
  await world.untilStatus(ended, "completed");
  const held = await world.order(ORDERS.buyByBank);
  await world.pay(held, { units: 5n });
  await world.untilStatus(held, "in_review");
  const [endedId, heldId] = [ended.order.sessionId, held.order.sessionId];
  expect((await keys()).toSorted()).toEqual([endedId, heldId, await walletKey()].toSorted());

  await daysPass(19);
  await pass();
  expect(await readWallet(world.deps, { merchantId: MERCHANT_ID, id })).toMatchObject(user);

  await daysPass(21);
  await pass();
  expect((await keys()).toSorted()).toEqual([endedId, heldId].toSorted());
  expect(await readWallet(world.deps, { merchantId: MERCHANT_ID, id })).toMatchObject({
    walletAddress: WALLET,
    firstName: "",
    lastName: "",
  });

  await daysPass(99);
  await pass();
  expect((await keys()).toSorted()).toEqual([endedId, heldId].toSorted());
  await daysPass(101);
  // The worker runs the pass at its start, and then each hour.
  const stop = startClearing(world.deps, RETENTION);
  await expect.poll(keys).toEqual([heldId]);
  await stop();
});

test("a session without an order goes after its own time, with its data key", async () => {
  await daysPass(0);
  await openNamedSession("unused");
  expect(await clearAllSessions(10)).toBe(0);
  await daysPass(11);
  expect(await clearAllSessions(12)).toBe(0);
  expect(await keys()).toContain("unused");
  expect(await clearAllSessions(10)).toBe(1);
  expect(await keys()).not.toContain("unused");
});

test("addresses that API keys were used from go after their time, by the real clock", async () => {
  await run(`insert into api_keys (id, merchant_id, digest, slot, scopes)
    values ('k', '${MERCHANT_ID}', decode(repeat('00', 32), 'hex'), 2, '{read}')`);
  await run(`insert into api_key_addresses (key_id, address, last_used_at) values
    ('k', '192.0.2.1', clock_timestamp() - interval '31 days'), ('k', '192.0.2.2', now())`);
  expect(await clearOldKeyAddresses(world.database, 1_000, 30)).toBe(1);
  expect(await run("select host(address) as address from api_key_addresses")).toEqual([
    { address: "192.0.2.2" },
  ]);
});

test("the update masks the addresses that earlier versions wrote to the operators' log", async () => {
  const address = "0xde709f2102306220921060314715629080e2fb77";
  await run(`insert into control_log (person, action, subject, details, before, after) values
    ('anna', 'approve_refund_address', '1', '{"address": "${address}", "memo": "104773"}',
      '{"status": "in_review", "refundAddress": null}',
      '{"status": "in_review", "refundAddress": "${address}"}')`);
  const file = new URL("migrations/0040_no_addresses_in_the_control_log.sql", import.meta.url);
  const script = await readFile(file, "utf8");
  await world.database.transaction((tx) => tx.runScript(script));
  expect(await run("select details, before, after from control_log where subject = '1'")).toEqual([
    {
      details: { address: "0xde70…fb77", memo: "…73" },
      before: { status: "in_review", refundAddress: null },
      after: { status: "in_review", refundAddress: "0xde70…fb77" },
    },
  ]);
  await expect(run("update control_log set person = 'x'")).rejects.toThrow("insert-only");
});
