import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/world.ts";
import { findAddress, insertAddress } from "./addresses.ts";
import { beginCursor, claimCursor, findCursor } from "./cursors.ts";
import { type ChainMovement, listMovementsTo } from "./movements.ts";
import { storeFinal, storeSpan } from "./scan-steps.ts";

const NETWORK = "ethereum";
const TOKEN = "00000000-0000-4000-8000-000000000001";
const lease = { networkCode: NETWORK, token: TOKEN, seconds: 60 };
const block = (height: bigint) => ({ height, hash: `0x${height}`, parent: `0x${height - 1n}` });
const movement = {
  id: "ethereum:0xaa:value",
  address: "0xA",
  assetId: 1010,
  units: 5n,
  height: 11n,
  blockHash: "0x11",
  transactionHash: "0xaa",
  source: "value" as const,
};

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { database } = world;
  await beginCursor(database, NETWORK, block(10n));
  const from = (await claimCursor(database, lease)) ?? expect.fail("the lease is free");
  const span = { blocks: [block(11n)], movements: [movement] };
  await storeSpan(database, lease, { from, span, keepBlocks: 10 });
});
afterAll(() => world.close());

const run = (text: string): Promise<void> => world.database.transaction((tx) => tx.runScript(text));
const cursor = async () => (await findCursor(world.database, NETWORK)) ?? expect.fail("no cursor");

test("another scanner does not get the lease, and its steps are refused", async () => {
  const other = { ...lease, token: "00000000-0000-4000-8000-000000000002" };
  expect(await claimCursor(world.database, other)).toBeUndefined();
  const span = { blocks: [block(12n)], movements: [] };
  const step = { from: await cursor(), span, keepBlocks: 10 };
  await expect(storeSpan(world.database, other, step)).rejects.toThrow("ethereum");
});

test("a step from a height that the cursor has left is refused, and writes nothing", async () => {
  const from = { ...(await cursor()), height: 10n, hash: "0x10" };
  const other: Omit<ChainMovement, "state"> = { ...movement, id: "other" };
  const span = { blocks: [block(11n)], movements: [other as typeof movement] };
  await expect(storeSpan(world.database, lease, { from, span, keepBlocks: 10 })).rejects.toThrow();
  const found = await listMovementsTo(world.database, { networkCode: NETWORK, address: "0xA" });
  expect(found.map(({ id }) => id)).toEqual([movement.id]);
});

test("a movement keeps what it says, and a final one stays as it is", async () => {
  await expect(run("update chain_movements set units = 6")).rejects.toThrow("cannot be changed");
  const from = await cursor();
  const nothing = { residue: [], walletResidue: [], held: [], balances: [], silentAssetIds: [] };
  await storeFinal(world.database, lease, { from, final: block(11n), ...nothing });
  await expect(run("update chain_movements set state = 'orphaned'")).rejects.toThrow("stays so");
  await expect(run("update chain_cursors set final_height = 10")).rejects.toThrow("cannot fall");
});

test.each([
  ["a movement of nothing", "units", "0"],
  ["a movement of an unknown source", "source", "'rumour'"],
  ["a balance that is not final", "source", "'balance'"],
  ["a movement in an unknown state", "state", "'lost'"],
])("the database refuses %s", async (_what, column, value) => {
  const columns = { units: "5", source: "'value'", state: "'seen'", [column]: value };
  await expect(
    run(`insert into chain_movements (network_code, id, address, asset_id, units, height, block_hash,
           transaction_hash, source, state)
         values ('ethereum', 'x', '0xA', 1010, ${columns.units}, 11, '0x11',
           ${columns.source === "'balance'" ? "null" : "'0xaa'"}, ${columns.source}, ${columns.state})`),
  ).rejects.toThrow("violates check constraint");
});

test("a reference keeps its first address, and an address has one reference", async () => {
  const { database } = world;
  const first = { networkCode: NETWORK, reference: "1", accountFingerprint: "aa", keyIndex: 0 };
  await insertAddress(database, { ...first, address: "0xA" });
  await insertAddress(database, { ...first, keyIndex: 1, address: "0xB" });
  expect(await findAddress(database, first)).toMatchObject({ keyIndex: 0, address: "0xA" });
  const other = { ...first, reference: "2", address: "0xA" };
  await insertAddress(database, other);
  expect(await findAddress(database, other)).toBeUndefined();
});
