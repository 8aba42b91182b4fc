import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { statement } from "../postgres/database.ts";
import { listUnswept } from "../treasury/unswept.ts";
import { insertAddress } from "./addresses.ts";
import { listMovementsTo } from "./movements.ts";

const NETWORK = "ethereum";
const ETH = 1010;
const TOP_UP = "00000000-0000-8000-8000-000000000001";
const PAYOUT = "00000000-0000-8000-8000-000000000002";
const LISTED = statement("test_unswept_list", "select address from unswept_deposits");

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  for (const [keyIndex, address] of ["0xtopped", "0xpaid"].entries()) {
    const key = { networkCode: NETWORK, reference: String(keyIndex), keyIndex };
    await insertAddress(world.database, { ...key, accountFingerprint: "aabbccdd", address });
  }
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 20, 'h', 20);
    insert into chain_wallets (id, network_code, next_place, address) values ('hot', '${NETWORK}', 2, '0xhot');
    insert into chain_sends (id, wallet_id, purpose, place) values
      ('${TOP_UP}', 'hot', 'top_up', 0), ('${PAYOUT}', 'hot', 'payout', 1);
    insert into chain_transactions (send_id, number, hash, bytes) values
      ('${TOP_UP}', 1, '0xtop-up', 'x'), ('${PAYOUT}', 1, '0xpayout', 'x');
    insert into chain_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
      values ('${NETWORK}', 'top-up', '0xtopped', ${ETH}, 500, 10, 'b', '0xtop-up', 'value', 'final'),
        ('${NETWORK}', 'payout', '0xpaid', ${ETH}, 500, 10, 'b', '0xpayout', 'value', 'final')`);
});
afterAll(() => world.close());

const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const listTo = async (address: string): Promise<readonly string[]> =>
  (await listMovementsTo(world.database, { networkCode: NETWORK, address })).map(({ id }) => id);

test("a payout to the deposit address of another order is a deposit, and coins for a sweep are not", async () => {
  expect(await listTo("0xpaid")).toEqual(["payout"]);
  expect(await listTo("0xtopped")).toEqual([]);
});

test("coins of such a payout are swept once their deposit is booked", async () => {
  expect(await world.database.query(LISTED)).toEqual([{ address: "0xpaid" }]);
  const sweepable = async () => (await listUnswept(world.database, NETWORK, "")).unswept;
  expect(await sweepable()).toEqual([]);
  await run(`set local session_replication_role = replica;
    insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units, state, confirmations)
      values (gen_random_uuid(), 1, 'm', 'chain', '${NETWORK}', 'payout', ${ETH}, 500, 'final', 12)`);
  expect(await sweepable()).toMatchObject([{ address: "0xpaid", units: 500n }]);
});
