import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { BoundPayout } from "../../domain/payouts/payout-intent.ts";
import { found } from "../../testing/catalogue.ts";
import { owePayout, readPayout } from "../../testing/payouts.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { isBuiltOn, listCoinsOf } from "../chains/coins.ts";
import {
  type CoinWalletKey,
  findWinnerWithoutCoins,
  giveUpCoins,
  takeCoins,
} from "../chains/take-coins.ts";
import { statement } from "../postgres/database.ts";
import { makeStoreSigned } from "./intents.ts";
import { planAgain, wasSigned } from "./lost-sends.ts";
import { noteQuestion } from "./questions.ts";
import { bindRaise, listRaises } from "./raises.ts";
import { storeRelease } from "./releases.ts";
import { addSigned, bindPlaces, endSend, listSigned, storeOwn } from "./sends.ts";

const NETWORK = "bitcoin";
const walletKey: CoinWalletKey = { networkCode: NETWORK, account: "aabbccdd" };
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
// No test has coins of the one before.
beforeEach(() =>
  run("update chain_coins set spent_by = 'gone', spent_height = 50 where spent_by is null"),
);

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
    takeCoins(tx, walletKey, { sendId, units: UNITS, unitsForEach: 0n }),
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
  await makeStoreSigned(world.database)(payout, { transactionHash, bytes: Uint8Array.of(1) });
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
  const key = { sendId: sendOf(child), intentId: child.id };
  await storeRelease(world.database, key, { text: "a release", signature: "" });
  const hash = await signed(child);
  await run(`update chain_coins set height = null where outpoint = '${change}'`);
  await endSend(world.database, sendOf(parent), { state: "final", hash: winner });
  return { child, hash, winner, other, change };
}

test("a lost payout is planned again on a coin of the transaction that won, and on its own", async () => {
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

test("a payout that was lost twice takes a coin of each winner, and one without coins is found", async () => {
  const { child, winner } = await lostPayout();
  await lose(sendOf(child), winner);
  const second = await bind(child.id);
  expect(await findWinnerWithoutCoins(world.database, walletKey, second)).toBe(winner);
  const heir = await makeCoin(winner);
  expect(await findWinnerWithoutCoins(world.database, walletKey, second)).toBeUndefined();
  expect(await take(second)).toBe(2);
  await signed(await readPayout(world, child.id));
  const parent = await bound();
  const later = await signed(parent);
  await endSend(world.database, sendOf(parent), { state: "final", hash: later });
  await lose(second, later);
  const third = await bind(child.id);
  // The second transaction is excluded by a coin of the later winner only, and the first one by one of the earlier.
  expect(await take(third)).toBe(0);
  expect(await findWinnerWithoutCoins(world.database, walletKey, third)).toBe(later);
  const change = await makeCoin(later);
  expect(await take(third)).toBe(2);
  expect(await coinsOf(third)).toEqual([heir, change].toSorted());
  await run(
    `update chain_coins set spent_by = 'paid', spent_height = 95 where outpoint = '${change}'`,
  );
  expect(await findWinnerWithoutCoins(world.database, walletKey, third)).toBeUndefined();
  await run(`update chain_coins set spent_height = 90 where outpoint = '${change}'`);
  expect(await findWinnerWithoutCoins(world.database, walletKey, third)).toBe(later);
});

test("a payout that was lost before is void by the end of its newest send only", async () => {
  const { child, winner } = await lostPayout();
  await lose(sendOf(child), winner);
  const again = await bind(child.id);
  await makeCoin(winner);
  expect(await take(again)).toBe(2);
  await signed(await readPayout(world, child.id));
  const end = `update payout_intents set state = 'void', void_reason = 'dead' where id = '${child.id}'`;
  await expect(run(end)).rejects.toThrow("is void only when its send is dead");
  await endSend(world.database, again, { state: "dead", by: newHash() });
  await run(end);
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

const RAISES = statement("test_raises", "select id from chain_sends where raises = $1");
interface Change {
  readonly outpoint: string;
  readonly index: number;
  readonly units: bigint;
}
const raiseOf = (payout: BoundPayout, change: Change): Promise<boolean> => {
  const raise = {
    id: randomUUID(),
    raises: sendOf(payout),
    ...walletKey,
    change,
    terms: { rate: "9" },
  };
  return world.database.transaction((tx) => bindRaise(tx, raise));
};

test("of two raises of one change one is bound, and it is listed with its transaction", async () => {
  const payout = await bound();
  const hash = await signed(payout);
  const change = { outpoint: `${hash}:0`, index: 7, units: 90_000n };
  const bindOne = () => raiseOf(payout, change);
  const results = await Promise.allSettled([bindOne(), bindOne()]);
  const bindings = results.filter((one) => one.status === "fulfilled" && one.value);
  expect(bindings).toHaveLength(1);
  const [raise, ...others] = await listRaises(world.database, sendOf(payout));
  expect(others).toEqual([]);
  const rows = await world.database.query(RAISES, [sendOf(payout)]);
  expect(rows).toHaveLength(1);
  const { id } = found(raise);
  expect(raise).toEqual({
    id,
    terms: { rate: "9" },
    transactionHash: null,
    bytes: null,
    isRefused: false,
  });
  expect(await isBuiltOn(world.database, NETWORK, hash)).toBe(true);
  await storeOwn(world.database, id, { transactionHash: newHash(), bytes: Uint8Array.of(3) });
  expect(await listSigned(world.database, id)).toHaveLength(1);
  await expect(run(`update chain_sends set raises = id where id = '${id}'`)).rejects.toThrow(
    "raises the fee of one send",
  );
});

test("there is no raise without its change, and change of a dead send is raised", async () => {
  const payout = await bound();
  const hash = await signed(payout);
  const holder = await bound();
  const change = { outpoint: await makeCoin(hash, null), index: 0, units: 100_000n };
  await run(
    `update chain_coins set send_id = '${sendOf(holder)}' where outpoint = '${change.outpoint}'`,
  );
  expect(await raiseOf(payout, change)).toBe(false);
  expect(await world.database.query(RAISES, [sendOf(payout)])).toEqual([]);
  await signed(holder);
  await endSend(world.database, sendOf(holder), { state: "dead", by: newHash() });
  expect(await raiseOf(payout, change)).toBe(true);
});

/** The signer refuses the last question about a raise. */
async function refuse(sendId: string): Promise<void> {
  const question = { sendId, id: randomUUID() };
  await noteQuestion(world.database, question);
  await world.database.transaction((tx) => giveUpCoins(tx, question));
}

test("a raise that the signer refused frees its change, and takes no other coin", async () => {
  const payout = await bound();
  const hash = await signed(payout);
  const change = { outpoint: await makeCoin(hash), index: 0, units: 100_000n };
  expect(await raiseOf(payout, change)).toBe(true);
  const { id } = found((await listRaises(world.database, sendOf(payout)))[0]);
  await makeCoin(newHash());
  await makeCoin(newHash());
  expect(await take(id)).toBe(0);
  await expect(
    run(`update chain_coins set send_id = null where outpoint = '${change.outpoint}'`),
  ).rejects.toThrow("belongs to a send that is not dead");
  await refuse(id);
  expect(await listRaises(world.database, sendOf(payout))).toMatchObject([
    { id, isRefused: true, terms: { rate: "9" } },
  ]);
  expect(await isBuiltOn(world.database, NETWORK, hash)).toBe(false);
  expect(await coinsOf(id)).toEqual([]);
  expect(await take(id)).toBe(0);
  // The next one is signed, so it stays.
  expect(await raiseOf(payout, change)).toBe(true);
  const next = found((await listRaises(world.database, sendOf(payout)))[1]);
  expect(next.isRefused).toBe(false);
  await storeOwn(world.database, next.id, { transactionHash: newHash(), bytes: Uint8Array.of(3) });
  await refuse(next.id);
  expect(await coinsOf(next.id)).toEqual([change.outpoint]);
  expect((await listRaises(world.database, sendOf(payout)))[1]).toMatchObject({ isRefused: false });
});
