import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BoundPayout } from "../../domain/payouts/payout-intent.ts";
import { found } from "../../testing/catalogue.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { type CoinPurse, isBuiltOn, listCoinsOf, takeCoins } from "../chains/coins.ts";
import { storeSigned } from "./intents.ts";
import { planAgain, wasSigned } from "./lost-sends.ts";
import { bindRaise, listRaises } from "./raises.ts";
import { addSigned, bindPlaces, endSend, listSigned, storeOwn } from "./sends.ts";

const NETWORK = "bitcoin";
const purse: CoinPurse = { networkCode: NETWORK, account: "aabbccdd" };
const UNITS = 150_000n;

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const newHash = (): string => randomUUID().replaceAll("-", "").repeat(2);

beforeAll(async () => {
  world = await makeWorld();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, kind, next_place) values ('btc', '${NETWORK}', 'coins', null)`);
});
afterAll(() => world.close());

/** Makes a coin of 100,000 units. */
async function makeCoin(transaction: string, height: number | null = 50): Promise<string> {
  const outpoint = `${transaction}:1`;
  await run(`insert into chain_coins
    (network_code, outpoint, account, branch, key_index, units, height, matures_at)
    values ('${NETWORK}', '${outpoint}', 'aabbccdd', 1, 0, 100000, ${height}, 51)`);
  return outpoint;
}
const take = (sendId: string): Promise<number> =>
  world.database.transaction((tx) =>
    takeCoins(tx, purse, { sendId, units: UNITS, unitsForEach: 0n }),
  );
const coinsOf = async (sendId: string): Promise<string[]> =>
  (await listCoinsOf(world.database, sendId)).map(({ outpoint }) => outpoint).toSorted();

async function bind(id: string): Promise<string> {
  await world.database.transaction((tx) =>
    bindPlaces(tx, [{ intentId: id, sendId: randomUUID() }]),
  );
  return found((await readPayout(world, id)).send ?? undefined).id;
}
async function bound(): Promise<BoundPayout> {
  const { id } = await owePayout(world, 100n);
  await run(`update payout_intents set released_at = business_now() where id = '${id}'`);
  await bind(id);
  return readPayout(world, id);
}
const sendOf = ({ send }: BoundPayout): string => found(send ?? undefined).id;
/** Stores a first transaction, as the payout job does after it signed. */
async function signed(payout: BoundPayout): Promise<string> {
  const transactionHash = newHash();
  await storeSigned(world.database, payout, { transactionHash, bytes: Uint8Array.of(1) });
  return transactionHash;
}
const lose = (sendId: string, by: string): Promise<boolean> =>
  world.database.transaction((tx) => planAgain(tx, { sendId, by }));

/** A payout on the change of a parent's first version, of which the second one became final. */
async function lostPayout() {
  const parent = await bound();
  const first = await signed(parent);
  const winner = newHash();
  const second = { number: 2, transactionHash: winner, bytes: Uint8Array.of(2) };
  await addSigned(world.database, sendOf(parent), second);
  const child = await bound();
  const other = await makeCoin(newHash());
  const change = await makeCoin(first);
  expect(await take(sendOf(child))).toBe(2);
  const hash = await signed(child);
  await run(`update chain_coins set height = null where outpoint = '${change}'`);
  await endSend(world.database, sendOf(parent), { state: "final", hash: winner });
  return { child, hash, winner, other, change };
}

test("P10: a lost payout is planned again on a coin of the transaction that won, and on its own", async () => {
  const { child, winner, other, change } = await lostPayout();
  const coins = await listCoinsOf(world.database, sendOf(child));
  expect(coins.find(({ outpoint }) => outpoint === change)).toMatchObject({
    lostBy: winner,
    isLostToOurs: true,
  });
  expect(await lose(sendOf(child), winner)).toBe(true);
  expect(await lose(sendOf(child), winner)).toBe(false);
  expect(await readPayout(world, child.id)).toMatchObject({
    state: "created",
    transactionHash: null,
    send: null,
  });
  expect(await wasSigned(world.database, child.id)).toBe(true);
  const again = await bind(child.id);
  // Nobody else may take its coin, and it waits for one that descends from the winner.
  const stranger = await bound();
  expect(await take(sendOf(stranger))).toBe(0);
  expect(await take(again)).toBe(0);
  const next = newHash();
  const spent = await makeCoin(winner);
  await run(
    `update chain_coins set spent_by = '${next}', spent_height = 60 where outpoint = '${spent}'`,
  );
  const heir = await makeCoin(next);
  expect(await take(again)).toBe(2);
  expect(await coinsOf(again)).toEqual([heir, other].toSorted());
  await signed(await readPayout(world, child.id));
});

test("the coins of a lost payout are free for others when it is signed again", async () => {
  const { child, winner, other } = await lostPayout();
  await lose(sendOf(child), winner);
  const move = (to: string) =>
    run(`update chain_coins set send_id = '${to}' where outpoint = '${other}'`);
  const stranger = await bound();
  await expect(move(sendOf(stranger))).rejects.toThrow("belongs to a send that is not dead");
  await bind(child.id);
  await signed(await readPayout(world, child.id));
  await move(sendOf(stranger));
});

test.each([
  ["that is under way", async () => {}],
  [
    "that a stranger's transaction made impossible",
    (send: string) => endSend(world.database, send, { state: "dead", by: newHash() }),
  ],
])("a payout does not leave a send %s, and is not unsigned", async (_, end) => {
  const payout = await bound();
  await signed(payout);
  const id = sendOf(payout);
  await end(id);
  const leave = `update chain_send_outputs set is_vacated = true where send_id = '${id}'`;
  await expect(run(leave)).rejects.toThrow("leaves a send that is lost or was never signed");
  const unsign = `update payout_intents set state = 'created', transaction_hash = null where id = '${payout.id}'`;
  await expect(run(unsign)).rejects.toThrow("cannot go back from signed to created");
});

test("of two raises of one change one is bound, and it is listed with its transaction", async () => {
  const payout = await bound();
  const hash = await signed(payout);
  const change = { outpoint: `${hash}:0`, index: 7, units: 90_000n };
  const bindOne = () => {
    const id = randomUUID();
    const raise = { id, raises: sendOf(payout), ...purse, change, terms: { rate: "9" } };
    return world.database.transaction((tx) => bindRaise(tx, raise));
  };
  const results = await Promise.allSettled([bindOne(), bindOne()]);
  const bindings = results.filter((one) => one.status === "fulfilled" && one.value);
  expect(bindings).toHaveLength(1);
  const [raise, ...others] = await listRaises(world.database, sendOf(payout));
  expect(others).toEqual([]);
  const { id } = found(raise);
  expect(raise).toEqual({ id, terms: { rate: "9" }, transactionHash: null, bytes: null });
  expect(await isBuiltOn(world.database, NETWORK, hash)).toBe(true);
  await storeOwn(world.database, id, { transactionHash: newHash(), bytes: Uint8Array.of(3) });
  expect(await listSigned(world.database, id)).toHaveLength(1);
  await expect(run(`update chain_sends set raises = id where id = '${id}'`)).rejects.toThrow(
    "raises the fee of one send",
  );
});
