import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { listFloats } from "../ledger/house.ts";
import { readBooks } from "./books.ts";
import { countFinal } from "./final-movements.ts";
import { type StoredWalletMovement, upsertWalletMovements } from "./wallet-movements.ts";

const NETWORK = "solana";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.database.transaction((tx) =>
    tx.runScript(`
      insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 9, '9', 9);
      insert into chain_wallets (id, network_code, address) values ('new', '${NETWORK}', 'newHot');
      insert into chain_wallets (id, network_code, address, state) values ('old', '${NETWORK}', 'oldHot', 'closed')`),
  );
});
afterAll(() => world.close());

let signature: string;
let count = 0;
beforeEach(() => {
  count += 1;
  signature = `5uH2bXcQvZ9rKmTqLpWy${count}`;
});

const assetOf = (reference: string): number =>
  found(world.deps.catalogue().currencyByCodeOrReference(reference)).id;

/** Coins that the transaction brought to the address, as the reader of Solana names them. */
function brought(reference: string, address: string, units: bigint): StoredWalletMovement {
  const assetId = assetOf(reference);
  const id = `${NETWORK}:${signature}:value:in:${assetId}:${address}:${units}`;
  const at = { address, assetId, units, counterparty: "stranger", height: 9n, blockHash: "9" };
  return { ...at, id, transactionHash: signature, source: "value", state: "final" };
}

/** Makes the movements final, and returns what is booked of their transaction. */
async function book(...wallets: readonly StoredWalletMovement[]) {
  await world.database.transaction(async (tx) => {
    await upsertWalletMovements(tx, NETWORK, wallets);
    await countFinal(tx, NETWORK, { deposits: [], wallets });
  });
  const booked = (await listFloats(world.database, 10)).filter(({ key }) =>
    key.startsWith(`float:${NETWORK}:${signature}`),
  );
  const books = await readBooks(world.database, NETWORK);
  expect(books.filter(({ unbookedUnits }) => unbookedUnits !== 0n)).toEqual([]);
  return booked.map(({ assetReference, units }) => `${units} ${assetReference}`).toSorted();
}

test("one transaction that brings two assets to the hot wallet is booked in both", async () => {
  const wallets = [brought("sol", "newHot", 1n), brought("usdc-solana", "newHot", 1n)];
  expect(await book(...wallets)).toEqual(["1 sol", "1 usdc-solana"]);
});

test("one transaction that pays two hot wallets of ours is booked for each", async () => {
  expect(await book(brought("sol", "newHot", 2n), brought("sol", "oldHot", 3n))).toEqual([
    "2 sol",
    "3 sol",
  ]);
});
