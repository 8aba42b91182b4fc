import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { floatEntry } from "../../domain/ledger/house-entries.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { bookHouseEntry } from "../ledger/house.ts";
import { readBooks } from "./books.ts";
import { listUnspentCoins } from "./coins.ts";
import { finalizeWalletMovements } from "./wallet-movements.ts";

const NETWORK = "litecoin";
const LTC = { id: 1045, code: "LTC", decimals: 8, publishedDecimals: 8 };
const FILE = new URL("../migrations/0051_coin_reading.sql", import.meta.url);
const OURS = "ab".repeat(32);
const outpoint = (number: number): string => `${String(number).padStart(64, "0")}:0`;

let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));

/** A wallet as an earlier release left it: it had paid 20 units, and a payout of 31 with its fee is in a block. */
beforeAll(async () => {
  world = await makeWorld();
  const send = randomUUID();
  const coins = [
    `('${outpoint(1)}', 100, 50, null, null)`,
    `('${outpoint(2)}', 50, 50, '${OURS}', 95)`,
    `('${OURS}:1', 19, 95, null, null)`,
  ];
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height)
      values ('${NETWORK}', 100, 'x', 90);
    insert into chain_blocks (network_code, height, hash, parent) values ('${NETWORK}', 95, 'b95', 'b94');
    insert into chain_wallets (id, network_code, kind, next_place, address)
      values ('ltc', '${NETWORK}', 'coins', null, 'xpub');
    insert into chain_sends (id, wallet_id, purpose, state) values ('${send}', 'ltc', 'payout', 'sent');
    insert into chain_transactions (send_id, number, hash, bytes) values ('${send}', 1, '${OURS}', '');
    insert into chain_coins
      (network_code, outpoint, account, branch, key_index, matures_at, units, height, spent_by, spent_height)
      select '${NETWORK}', coin.outpoint, 'aabbccdd', 0, 0, 51, coin.units, coin.height, coin.spent_by, coin.spent_height
      from (values ${coins.join(", ")}) as coin(outpoint, units, height, spent_by, spent_height)`);
  const entry = { networkCode: NETWORK, name: "before", direction: "out" } as const;
  const amount = { asset: LTC, units: 20n };
  await world.database.transaction((tx) => bookHouseEntry(tx, floatEntry({ ...entry, amount })));
});
afterAll(() => world.close());

test("the upgrade opens the books of coins with what they had, and a payout under way is still to be booked", async () => {
  const [audit = ""] = (await readFile(FILE, "utf8")).split("create table chain_pending");
  await run(audit.slice(0, audit.lastIndexOf("--")));
  expect(await readBooks(world.database, NETWORK)).toMatchObject([
    { assetId: LTC.id, openingUnits: -20n, chainUnits: 0n },
  ]);
  const moved = await world.database.transaction((tx) => finalizeWalletMovements(tx, NETWORK, 95n));
  expect(moved).toMatchObject([
    { address: "xpub", units: -31n, height: 95n, blockHash: "b95", transactionHash: OURS },
  ]);
});

test("a deposit is one of our unspent coins until a block spends it", async () => {
  await run(`
    insert into chain_addresses
      (network_code, reference, account_fingerprint, key_index, address, watched_until, has_coins)
      values ('${NETWORK}', '1', 'aabbccdd', 0, 'rltc1qdeposit', now(), true);
    insert into chain_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
      values ('${NETWORK}', '${NETWORK}:${outpoint(7)}', 'rltc1qdeposit', ${LTC.id}, 5, 60, 'b', 'h', 'value', 'final')`);
  const deposits = async (height: bigint) =>
    (await listUnspentCoins(world.database, NETWORK, height)).filter(({ address }) => address);
  const coin = { outpoint: outpoint(7), units: 5n, address: "rltc1qdeposit" };
  expect(await deposits(100n)).toEqual([coin]);
  await run(`
    insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
      values ('${NETWORK}', '${NETWORK}:t:in:${outpoint(7)}:-5', 'rltc1qdeposit', ${LTC.id}, -5, 99, 'b', 't', 'value',
        'seen')`);
  expect(await deposits(100n)).toEqual([]);
  // Read again from a lower block, as on another branch.
  expect(await deposits(98n)).toEqual([coin]);
});
