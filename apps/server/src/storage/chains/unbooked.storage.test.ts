import { afterAll, beforeAll, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { takeUnbooked } from "./unbooked.ts";

const HEX = "9f3a".repeat(16);
const BASE58 = "5uH2bXcQvZ9rKmTqLpWyGdNsEaRfJ8xA3BnCkMhV7tD4gPo6SwYeU1iFjLzQrXvT";

let world: World;
let assetId: number;

beforeAll(async () => {
  world = await makeWorld();
  assetId = found(world.deps.catalogue().currencyByCodeOrReference("eth")).id;
});
afterAll(() => world.close());

test.each([
  ["ethereum", `0x${HEX}`, `0x${HEX.toUpperCase()}`],
  ["xrpl", HEX.toUpperCase(), HEX.toUpperCase()],
  ["solana", BASE58, BASE58],
])("a movement on %s is found and booked by its transaction", async (networkCode, stored, hash) => {
  const { database } = world;
  const columns = "network_code, id, address, asset_id, units, block_hash, source, is_deposit";
  await database.transaction((tx) =>
    tx.runScript(`insert into chain_cursors (network_code, height, hash, final_height)
        values ('${networkCode}', 9, '9', 9);
      insert into chain_unbooked (${columns}, transaction_hash)
        values ('${networkCode}', 'm', 'a', ${assetId}, -5, '9', 'value', false, '${stored}')`),
  );
  const moved = { networkCode, hash, assetId };
  const take = () => database.transaction((tx) => takeUnbooked(tx, moved));
  expect((await take()).units).toBe(-5n);
  expect((await take()).units).toBeUndefined();
});
