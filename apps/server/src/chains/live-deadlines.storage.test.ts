import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeadlineSender, UnderWay } from "../domain/ports/chain-sender.ts";
import { owePayout } from "../testing/payouts.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makeLiveDeadlines } from "./live-deadlines.ts";

const NETWORK = "bitcoin";
const ADDRESS = "0xhot";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.database.transaction((tx) =>
    tx.runScript(`
      insert into chain_wallets (id, network_code, address) values ('hot', '${NETWORK}', '${ADDRESS}');
      insert into chain_cursors (network_code, height, hash, final_height) values ('${NETWORK}', 100, 'x', 90);`),
  );
});
afterAll(() => world.close());

/** Asks about a payout. Returns the statements that ran, and the sends under way that the sender was told. */
async function preflight(rules: Pick<DeadlineSender, "countsUnderWay">) {
  const told: (UnderWay | undefined)[] = [];
  const statements: string[] = [];
  const { id: intentId, units, address } = await owePayout(world, 100n);
  const sender: Partial<DeadlineSender> = {
    ...rules,
    networkCode: NETWORK,
    wallet: { name: "hot", address: ADDRESS },
    preflight: async (_, underWay) => {
      told.push(underWay);
      return { state: "rejected", why: "as the test wants" };
    },
  };
  const { database } = world;
  const sends = makeLiveDeadlines({
    database: {
      ...database,
      query: (asked, values) => {
        statements.push(asked.name);
        return database.query(asked, values);
      },
    },
    log: pino({ level: "silent" }),
    sender: sender as DeadlineSender,
    installation: "test",
    signRelease: () => "",
  });
  const to = { networkCode: NETWORK, assetReference: "btc", address: address ?? "", memo: null };
  await sends.preflight({ intentId, units, ...to });
  return { told, statements };
}

test("the sends under way are read for a network that counts them", async () => {
  const { told, statements } = await preflight({ countsUnderWay: true });
  expect(told).toMatchObject([{ readTo: 100n }]);
  expect(statements).toContain("chain_sends_under_way");
});

test("they are not read for another network", async () => {
  const { told, statements } = await preflight({});
  expect(told).toEqual([undefined]);
  expect(statements).not.toContain("chain_sends_under_way");
});
