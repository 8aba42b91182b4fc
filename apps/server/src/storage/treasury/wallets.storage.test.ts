import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { listWatchedWallets, readCoinBalances } from "./wallets.ts";

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const assetOf = (reference: string): number =>
  found(world.deps.catalogue().currencyByCodeOrReference(reference)).id;
const leaves = (wallet: string, reference: string, units: number): Promise<void> =>
  run(`insert into wallet_balances (wallet_id, asset_id, units, height, used_places)
    values ('${wallet}', ${assetOf(reference)}, ${units}, 1, 0)
    on conflict (wallet_id, asset_id) do update set units = excluded.units`);

beforeAll(async () => {
  world = await makeWorld();
  await run(`insert into chain_cursors (network_code, height, hash, final_height)
    values ('litecoin', 100, 'h100', 90);
  insert into chain_wallets (id, kind, network_code, address, next_place, state, account) values
    ('new', 'account', 'ethereum', '0x1', 0, 'open', null),
    ('old', 'account', 'ethereum', '0x2', 3, 'closed', null),
    ('new coins', 'coins', 'litecoin', 'xpub1', null, 'open', 'aa'),
    ('old coins', 'coins', 'litecoin', 'xpub2', null, 'closed', 'bb')`);
});
afterAll(() => world.close());

test("the balance of a closed wallet is read until it is empty", async () => {
  const watched = async () =>
    (await listWatchedWallets(world.database, "ethereum")).map(({ id }) => id);
  expect(await watched()).toEqual(["new"]);
  await leaves("old", "eth", 5);
  expect(await watched()).toEqual(["new", "old"]);
  await leaves("old", "eth", 0);
  expect(await watched()).toEqual(["new"]);
});

test("the coins of a closed wallet are read until they are spent", async () => {
  await run(`insert into chain_coins (network_code, outpoint, account, branch, key_index, units, height, matures_at)
    values ('litecoin', '${"0".repeat(64)}:0', 'aa', 0, 0, 100, 50, 51), ('litecoin', '${"1".repeat(64)}:0', 'bb', 0, 0, 7, 50, 51)`);
  const read = async () => {
    const at = { assetId: assetOf("ltc"), height: 90n };
    const balances = await readCoinBalances(world.database, "litecoin", at);
    return Object.fromEntries(balances.map(({ walletId, units }) => [walletId, units]));
  };
  await leaves("old coins", "ltc", 9);
  expect(await read()).toEqual({ "new coins": 100n, "old coins": 7n });
  await run("update chain_coins set spent_by = 'gone', spent_height = 60 where account = 'bb'");
  expect(await read()).toEqual({ "new coins": 100n, "old coins": 0n });
  await leaves("old coins", "ltc", 0);
  expect(await read()).toEqual({ "new coins": 100n });
});
