import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { listCoinsOf } from "./coins.ts";
import { type CoinWalletKey, readFreeUnits, takeCoins } from "./take-coins.ts";

const NETWORK = "litecoin";
const walletKey: CoinWalletKey = { networkCode: NETWORK, account: "aabbccdd" };
const HEIGHT = 100;
const COINS = 200;
const outpoint = (number: number): string => `${String(number).padStart(64, "0")}:0`;

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const newSend = async (): Promise<string> => {
  const id = randomUUID();
  await run(`insert into chain_sends (id, wallet_id, purpose) values ('${id}', 'ltc', 'payout')`);
  return id;
};
const take = (sendId: string, units: bigint, unitsForEach = 0n): Promise<number> =>
  world.database.transaction((tx) => takeCoins(tx, walletKey, { sendId, units, unitsForEach }));
const TAKEN_TWICE = statement(
  "test_coins_by_send",
  `select send_id::text as id, count(*)::int as coins from chain_coins
   where send_id is not null group by send_id`,
);

/** Makes the coins of a test: 100 units each, all final. */
const makeCoins = async (from: number, count: number, units = 100): Promise<void> => {
  const rows = Array.from(
    { length: count },
    (_, at) => `('${NETWORK}', '${outpoint(from + at)}', 'aabbccdd', 0, 0, ${units}, 50, 51)`,
  );
  await run(`insert into chain_coins
    (network_code, outpoint, account, branch, key_index, units, height, matures_at)
    values ${rows.join(", ")}`);
};

beforeAll(async () => {
  world = await makeWorld();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height)
      values ('${NETWORK}', ${HEIGHT}, 'x', 90);
    insert into chain_wallets (id, network_code, kind, next_place)
      values ('ltc', '${NETWORK}', 'coins', null)`);
});
afterAll(() => world.close());

test("P13: 16 workers never take one coin for two sends, and a send gets all or nothing", async () => {
  await makeCoins(1, COINS);
  let made = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let round = 0; round < 10; round += 1) {
        const send = await newSend();
        const count = await take(send, 150n);
        expect([0, 2]).toContain(count);
        made += count;
        // A step that fails gives its coins back.
        const lost = await newSend();
        await world.database
          .transaction(async (tx) => {
            await takeCoins(tx, walletKey, { sendId: lost, units: 100n, unitsForEach: 0n });
            throw new Error("the step failed");
          })
          .catch(() => {});
        expect(await listCoinsOf(world.database, lost)).toEqual([]);
      }
    }),
  );
  // Workers that met passed over each other's coins, so some sends may have to ask again.
  for (;;) {
    const count = await take(await newSend(), 150n);
    if (count === 0) break;
    made += count;
  }
  const bySend = await world.database.query<{ coins: number }>(TAKEN_TWICE);
  expect(made).toBe(COINS);
  expect(bySend.every(({ coins }) => coins === 2)).toBe(true);
  expect(await readFreeUnits(world.database, walletKey)).toBe(0n);
});

test("the largest coins come first, and each must pay its own fee", async () => {
  await makeCoins(1_001, 3, 1_000);
  await makeCoins(1_011, 1, 5_000);
  const send = await newSend();
  expect(await take(send, 5_000n, 10n)).toBe(2);
  expect((await listCoinsOf(world.database, send)).map(({ units }) => units)).toEqual([
    5_000n,
    1_000n,
  ]);
  expect(await take(await newSend(), 1_990n, 10n)).toBe(0);
  expect(await take(await newSend(), 1_980n, 10n)).toBe(2);
});

test("a coin leaves a send only when that is dead, and what it says stays", async () => {
  const send = await newSend();
  await makeCoins(2_001, 1, 70);
  expect(await take(send, 70n)).toBe(1);
  const name = outpoint(2_001);
  const move = `update chain_coins set send_id = '${await newSend()}' where outpoint = '${name}'`;
  await expect(run(move)).rejects.toThrow("belongs to a send that is not dead");
  const free = `update chain_coins set send_id = null where outpoint = '${name}'`;
  await expect(run(free)).rejects.toThrow("belongs to a send that is not dead");
  const enlarge = `update chain_coins set units = 71 where outpoint = '${name}'`;
  await expect(run(enlarge)).rejects.toThrow("cannot be changed");
  await run(`update chain_sends set state = 'dead', dead_by = 'foreign' where id = '${send}'`);
  expect(await take(await newSend(), 70n)).toBe(1);
});

test.each([
  ["is young", "matures_at = 102", 3_001],
  ["is not final and not our change", "height = 95, matures_at = 96", 3_002],
  ["lost its block", "height = null", 3_003],
  ["is spent", "spent_by = 'x', spent_height = 99", 3_004],
])("a coin that %s is not taken", async (_what, change, number) => {
  await makeCoins(number, 1, 40);
  await run(`update chain_coins set ${change} where outpoint = '${outpoint(number)}'`);
  expect(await take(await newSend(), 40n)).toBe(0);
});
