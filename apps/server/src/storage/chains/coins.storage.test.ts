import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerHotWallets } from "../../chains/hot-wallets.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { noteQuestion } from "../payouts/questions.ts";
import { bindRaise } from "../payouts/raises.ts";
import { statement } from "../postgres/database.ts";
import { listCoinSizes } from "../treasury/coin-sizes.ts";
import { isShort, listStocks, nameLiveNetworks } from "../treasury/stock.ts";
import { readCoinBalances } from "../treasury/wallets.ts";
import { listCoinsOf } from "./coins.ts";
import { type CoinWalletKey, giveUpCoins, readFreeUnits, takeCoins } from "./take-coins.ts";

const NETWORK = "litecoin";
const walletKey: CoinWalletKey = { networkCode: NETWORK, account: "aabbccdd" };
const LTC = 1045;
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

test("16 workers never take one coin for two sends, and a send gets all or nothing", async () => {
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

const onHand = async (): Promise<bigint> =>
  (await listStocks(world.database)).find(({ assetId }) => assetId === LTC)?.onHand ?? 0n;

test("the coins of a dead send are stock again, and so are those of a raise that the signer refused", async () => {
  await world.database.transaction((tx) => nameLiveNetworks(tx, [NETWORK]));
  await makeCoins(7_001, 1, 9_000);
  const before = await onHand();
  const [raised, dead] = [await newSend(), await newSend()];
  expect(await take(dead, 9_000n)).toBe(1);
  expect(await onHand()).toBe(before - 9_000n);
  await run(`update chain_sends set state = 'dead', dead_by = 'foreign' where id = '${dead}';
    update chain_sends set state = 'signed' where id = '${raised}'`);
  expect(await onHand()).toBe(before);
  const change = { outpoint: outpoint(7_002), index: 0, units: 500n };
  const id = randomUUID();
  const raise = { id, raises: raised, ...walletKey, change, terms: { rate: "9" } };
  expect(await world.database.transaction((tx) => bindRaise(tx, raise))).toBe(true);
  await run(`update chain_coins set height = 60 where outpoint = '${change.outpoint}'`);
  expect(await onHand()).toBe(before);
  const question = { sendId: id, id: randomUUID() };
  await noteQuestion(world.database, question);
  await world.database.transaction((tx) => giveUpCoins(tx, question));
  expect(await onHand()).toBe(before + 500n);
});

test("the coins of a send that was given up count once for a paid order", async () => {
  await world.database.transaction((tx) => nameLiveNetworks(tx, [NETWORK]));
  await run("update chain_coins set spent_by = 'gone', spent_height = 50 where spent_by is null");
  await makeCoins(8_001, 1, 9_500);
  const stock = await onHand();
  const given = await newSend();
  expect(await take(given, 9_500n)).toBe(1);
  await run(`insert into chain_send_outputs (send_id, number, units, address, asset_id, is_vacated)
    values ('${given}', 1, 9_000, 'ltc1q', ${LTC}, true)`);
  expect(await onHand()).toBe(stock);
  const lacks = (units: bigint): Promise<boolean> =>
    world.database.transaction((tx) => isShort(tx, { assetId: LTC, units, orderId: 0n }));
  expect([await lacks(stock), await lacks(stock + 1n)]).toEqual([false, true]);
});

test("coins of an earlier hot wallet are neither stock nor balance of the new one", async () => {
  await run(`update chain_wallets set address = 'xpub-first' where id = 'ltc';
    update chain_sends set state = 'dead', dead_by = 'foreign' where state in ('bound', 'signed')`);
  const log = { info: () => {}, warn: () => {} };
  const register = async (address: string, account: string): Promise<void> => {
    const wallet = { name: "hot", address, account };
    const hot = [{ networkCode: NETWORK, wallet }];
    const wallets = await registerHotWallets({ database: world.database, log }, { hot, gas: [] });
    await wallets.stop();
  };
  const held = async () => {
    const [balance] = await readCoinBalances(world.database, NETWORK, {
      assetId: LTC,
      height: 90n,
    });
    const [sizes] = await listCoinSizes(world.database);
    return [await onHand(), balance?.units, sizes?.units ?? 0n];
  };
  await run("update chain_coins set spent_by = 'gone', spent_height = 50");
  await makeCoins(9_001, 1, 7_000);
  await register("xpub-first", walletKey.account);
  expect(await held()).toEqual([7_000n, 7_000n, 7_000n]);
  await register("xpub-second", "eeff0011");
  expect(await held()).toEqual([0n, 0n, 0n]);
  await register("xpub-first", walletKey.account);
  expect(await held()).toEqual([7_000n, 7_000n, 7_000n]);
});
