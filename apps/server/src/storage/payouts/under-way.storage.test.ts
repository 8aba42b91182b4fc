import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { readUnderWay } from "./under-way.ts";

const NETWORK = "solana";
const HOT = "Hot1";
let world: World;
const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

/** The payments of SOL are added up. */
const read = async () => {
  const found = await readUnderWay(world.database, { networkCode: NETWORK, address: HOT });
  if (!found) return undefined;
  const { payments, ...rest } = found;
  const units = payments
    .filter(({ assetReference }) => assetReference === "sol")
    .reduce((sum, one) => sum + one.units, 0n);
  return { ...rest, units };
};

/** A sweep or a payment from a wallet. A block that the scanner has read may have its transaction. */
const send = (walletId: string, units: number, state: string, moved?: "seen" | "orphaned") => {
  const [id, hash] = [randomUUID(), randomUUID()];
  const end = `update chain_sends set state = 'final', settled_hash = '${hash}' where id = '${id}';`;
  const movement = `insert into chain_wallet_movements
      (network_code, id, address, asset_id, units, height, block_hash, transaction_hash, source, state)
    values ('${NETWORK}', '${id}', '${HOT}', 1040, -5000, 99, 'b', '${hash}', 'fee', '${moved}');`;
  return run(`
    insert into chain_sends (id, wallet_id, purpose, state)
      values ('${id}', '${walletId}', '${walletId === "hot" ? "payout" : "sweep"}', '${state === "final" ? "sent" : state}');
    insert into chain_send_outputs (send_id, number, units, address, asset_id)
      values ('${id}', 1, ${units}, 'to', 1040);
    insert into chain_transactions (send_id, number, hash, bytes) values ('${id}', 1, '${hash}', '');
    ${moved ? movement : ""} ${state === "final" ? end : ""}`);
};

test("sends that no read block has are under way, and each may cost a fee", async () => {
  expect(await read()).toBeUndefined();
  await run(`
    insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);
    insert into chain_wallets (id, network_code, kind, next_place, address) values
      ('hot', '${NETWORK}', 'expiring', null, '${HOT}');
    insert into chain_wallets (id, network_code, kind, next_place, address, role) values
      ('deposit', '${NETWORK}', 'expiring', null, 'D', 'deposits')`);
  expect(await read()).toEqual({ readTo: 100n, units: 0n, sends: 0 });
  await send("hot", 7, "bound");
  await send("hot", 11, "sent");
  expect(await read()).toEqual({ readTo: 100n, units: 18n, sends: 2 });
  // A sweep brings its coins to the hot wallet, which pays its fee.
  await send("deposit", 1_000, "signed");
  expect(await read()).toEqual({ readTo: 100n, units: 18n, sends: 3 });
  await send("hot", 100, "sent", "seen");
  await send("hot", 100, "final");
  expect(await read()).toEqual({ readTo: 100n, units: 18n, sends: 3 });
  // Its block was dropped.
  await send("hot", 100, "sent", "orphaned");
  expect(await read()).toEqual({ readTo: 100n, units: 118n, sends: 4 });
});
