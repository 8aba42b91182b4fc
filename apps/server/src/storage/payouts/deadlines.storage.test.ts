import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import {
  bindTopUp,
  giveUpMove,
  type NewTopUp,
  noteAsked,
  noteRefused,
} from "../treasury/sweeps.ts";
import { makeStoreSigned } from "./intents.ts";
import { findDeadTransaction, planAgain } from "./lost-sends.ts";
import { storeTerms } from "./releases.ts";
import { addSigned, bindPlaces, endSend, storeOwn } from "./sends.ts";

const PROMISED = statement("test_promised", "select stock_promised($1, null)::text as units");
const STATE = statement("test_state_of_send", "select state from chain_sends where id = $1");

const PASSED_MS = 1_000;
let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const newHash = (): string => randomUUID().replaceAll("-", "").repeat(2);

beforeAll(async () => {
  world = await makeWorld();
  await run(`insert into chain_wallets (id, network_code, kind, next_place, address)
    values ('tron', 'bitcoin', 'expiring', null, 'T')`);
});
afterAll(() => world.close());

/** Returns a payout whose transaction is signed and has a deadline. */
async function signed(expiration: number) {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  const bind = () =>
    world.database.transaction((tx) => bindPlaces(tx, [{ intentId: id, sendId: randomUUID() }]));
  await bind();
  const payout = await readPayout(world, id);
  const sendId = found(payout.send ?? undefined).id;
  await storeTerms(world.database, { sendId, number: 1 }, { expiration: String(expiration) });
  const transactionHash = newHash();
  await makeStoreSigned(world.database)(payout, {
    transactionHash,
    bytes: Buffer.from("01", "hex"),
  });
  const planned = (by = "deadline:7") =>
    world.database.transaction((tx) => planAgain(tx, { sendId, by }));
  return { id, sendId, transactionHash, bind, planned };
}

test("a payout is planned again once its deadline has passed, and names the dead transaction", async () => {
  const { id, sendId, transactionHash, bind, planned } = await signed(Date.now() - PASSED_MS);
  expect(await findDeadTransaction(world.database, id)).toBeNull();
  expect(await planned()).toBe(true);
  expect(await planned()).toBe(false);
  expect(await readPayout(world, id)).toMatchObject({ state: "created", send: null });
  expect(await findDeadTransaction(world.database, id)).toBe(transactionHash);
  await bind();
  const again = await readPayout(world, id);
  expect(again.send).toMatchObject({ place: null });
  expect(again.send?.id).not.toBe(sendId);
  // The same bytes cannot be those of the second send too.
  const bytes = Buffer.from("01", "hex");
  await expect(
    makeStoreSigned(world.database)(again, { transactionHash, bytes }),
  ).rejects.toThrow();
});

test.each([
  ["before its deadline", Date.now() + 3_600_000, "deadline:7"],
  ["by a stranger's transaction", Date.now() - PASSED_MS, "somebody"],
])("a payout does not leave its send %s", async (_, expiration, by) => {
  const { id, planned } = await signed(expiration);
  await expect(planned(by)).rejects.toThrow("a payout leaves a send that is lost");
  expect(await readPayout(world, id)).toMatchObject({ state: "signed" });
});

test("a send with a deadline has one transaction, and its payout one send", async () => {
  const { sendId, bind, id } = await signed(Date.now() - PASSED_MS);
  const second = { number: 2, transactionHash: newHash(), bytes: Buffer.from("02", "hex") };
  await expect(addSigned(world.database, sendId, second)).rejects.toThrow("has one transaction");
  await bind();
  expect((await readPayout(world, id)).send?.id).toBe(sendId);
});

test("a top-up is promised, and no other is made of its coins, until its block is final", async () => {
  const coin = found(world.deps.catalogue().currencyByCodeOrReference("btc")).id;
  await run(`insert into live_networks values ('bitcoin');
    insert into wallet_balances (wallet_id, asset_id, units, height, used_places)
      values ('tron', ${coin}, 1000000000000, 9, 0)`);
  const promised = async (): Promise<bigint> => {
    const [row] = await world.database.query<{ units: string }>(PROMISED, [coin]);
    return BigInt(found(row).units);
  };
  const before = await promised();
  const topUp = (address: string) => ({
    ...{ sendId: randomUUID(), networkCode: "bitcoin", units: 600_000_000_000n, assetId: coin },
    ...{ terms: null, fee: 1_000n, dayMax: 10n ** 13n, keep: 0n, isForRaise: false },
    ...{ deposit: { address }, funderAddress: "T" },
  });
  const bind = (move: NewTopUp) => world.database.transaction((tx) => bindTopUp(tx, move));
  const first = topUp("a");
  expect(await bind(first)).toBe("bound");
  expect(await promised()).toBe(before + 600_000_000_000n);
  const bytes = Buffer.from("01", "hex");
  await storeOwn(world.database, first.sendId, { transactionHash: newHash(), bytes });
  // The payouts of the tests before have some of the rest.
  expect(await bind(topUp("b"))).toBe("short");
  expect(await promised()).toBe(before + 600_000_000_000n);
  await endSend(world.database, first.sendId, { state: "final", hash: newHash() });
  expect(await promised()).toBe(before);
});

test("an unsigned top-up with a deadline gives up its send without a cancel, unless the signer was asked", async () => {
  const sendId = randomUUID();
  const coin = found(world.deps.catalogue().currencyByCodeOrReference("btc")).id;
  const move: NewTopUp = {
    ...{ sendId, networkCode: "bitcoin", units: 1n, assetId: coin, terms: null },
    ...{ fee: 1n, dayMax: 10n ** 13n, keep: 0n, isForRaise: false },
    ...{ deposit: { address: "c" }, funderAddress: "T" },
  };
  await world.database.transaction((tx) => bindTopUp(tx, move));
  const question = { sendId, id: randomUUID() };
  await noteAsked(world.database, question, "tron-deposits/1");
  const state = async () => (await world.database.query<{ state: string }>(STATE, [sendId]))[0];
  await giveUpMove(world.database, sendId);
  expect(await state()).toEqual({ state: "bound" });
  await noteRefused(world.database, question);
  await giveUpMove(world.database, sendId);
  expect(await state()).toEqual({ state: "vacated" });
});
