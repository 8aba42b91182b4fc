import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChainReader, ReadSpan } from "../../domain/ports/chain-reader.ts";
import { found } from "../../testing/catalogue.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { makeWorld, type World } from "../../testing/world.ts";
import { acceptBranch } from "./accept-branch.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const OUTPOINT = `${"c".repeat(64)}:0`;
const DEPOSIT = `${"d".repeat(64)}:1`;

test("coins that one read of a branch finds are watched in the reads after it", async () => {
  await world.database.transaction((tx) =>
    tx.runScript(`
      insert into chain_cursors (network_code, height, hash, final_height)
        values ('litecoin', 100, 'a100', 100);
      insert into chain_blocks (network_code, height, hash, parent)
        values ('litecoin', 99, 'b99', 'b98'), ('litecoin', 100, 'a100', 'b99')`),
  );
  const block = (height: bigint) => ({ height, hash: `b${height}`, parent: `b${height - 1n}` });
  const assetId = found(world.deps.catalogue().currencies[0]).id;
  const watched: (readonly string[])[] = [];
  const read: ChainReader["read"] = async (_from, to, { coins = [] }) => {
    watched.push(coins.map(({ outpoint }) => outpoint));
    const isFirst = watched.length === 1;
    const made = {
      outpoint: OUTPOINT,
      branch: 0,
      keyIndex: 0,
      units: 5n,
      maturesAt: 106n,
    } as const;
    const paid = { id: `litecoin:${DEPOSIT}`, address: "ours", assetId, units: 7n };
    const place = { transactionHash: "d".repeat(64), height: 105n, blockHash: "b105" };
    const span: ReadSpan = {
      blocks: [block(to)],
      movements: isFirst ? [{ ...paid, ...place, source: "value" }] : [],
      coins: { account: "aabbccdd", made: isFirst ? [{ ...made, height: 105n }] : [], spent: [] },
      walletMovements: [],
    };
    return span;
  };
  const reader = {
    heads: async () => ({ believed: 145n, final: 140n }),
    nameOf: async (height: bigint) => block(height),
    read,
  };
  const command = { networkCode: "litecoin", reason: "a test", by: operatorNamed("anna") };
  await acceptBranch(
    { database: world.database, environment: "dev" },
    reader as unknown as ChainReader,
    { ...command, assets: [] },
  );
  expect(watched).toEqual([[], [OUTPOINT, DEPOSIT], [OUTPOINT, DEPOSIT]]);
});
