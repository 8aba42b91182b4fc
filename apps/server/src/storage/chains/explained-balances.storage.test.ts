import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { readExplainedBalances } from "./addresses.ts";

const SOL = 1040;
const OTHER_ASSET = 1022;
let world: World;

beforeAll(async () => {
  world = await makeWorld();
  const address = (name: string, rest: string): string =>
    `('solana', '${name}', ${rest.includes("other") ? "'ffffffff'" : "'aabbccdd'"}, ${name.length}, '${name}',
      now() + interval '${rest.includes("past") ? "-1 day" : "1 day"}', ${rest.includes("coins")})`;
  const moved = (table: string, name: string, units: number, state: string, asset = SOL): string =>
    `insert into ${table} (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
     values ('solana', '${table} ${name} ${units} ${asset}', '${name}', ${asset}, ${units}, 60, 'b', 'h', 'value', '${state}');`;
  await world.database.transaction((tx) =>
    tx.runScript(`
      insert into chain_cursors (network_code, height, hash, final_height) values ('solana', 100, 'x', 90);
      insert into chain_addresses
        (network_code, reference, account_fingerprint, key_index, address, watched_until, has_coins)
      values ${[
        address("unused", ""),
        address("paid-once", ""),
        address("collected-", ""),
        address("seen-lately", ""),
        address("leaves-lately", ""),
        address("dropped-of-chain", ""),
        address("of-another-account", "other"),
        address("was-watched-long-ago", "past"),
        address("was-watched-and-has-coins", "past coins"),
      ].join(", ")};
      ${moved("chain_movements", "paid-once", 7, "final")}
      ${moved("chain_movements", "paid-once", 9, "final", OTHER_ASSET)}
      ${moved("chain_movements", "collected-", 5, "final")}
      ${moved("chain_movements", "collected-", 6, "final")}
      ${moved("chain_wallet_movements", "collected-", -5, "final")}
      ${moved("chain_movements", "seen-lately", 3, "final")}
      ${moved("chain_movements", "seen-lately", 4, "seen")}
      ${moved("chain_movements", "leaves-lately", 4, "final")}
      ${moved("chain_wallet_movements", "leaves-lately", -4, "seen")}
      ${moved("chain_movements", "dropped-of-chain", 8, "orphaned")}
      ${moved("chain_movements", "was-watched-and-has-coins", 2, "final")}`),
  );
});
afterAll(() => world.close());

test("balances are explained of the watched addresses of the account whose movements are all final, by their sum", async () => {
  const question = { accountFingerprint: "aabbccdd", assetId: SOL };
  const balances = await readExplainedBalances(world.database, "solana", question);
  expect(Object.fromEntries(balances)).toEqual({
    unused: 0n,
    "paid-once": 7n,
    "collected-": 6n,
    "dropped-of-chain": 0n,
    "was-watched-and-has-coins": 2n,
  });
});
