import { describe, expect, test } from "vitest";
import { describeStop } from "../../apps/server/src/domain/payouts/stop.ts";
import { listStops } from "../../apps/server/src/storage/payouts/stops.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { listCoinSizes } from "../../apps/server/src/storage/treasury/coin-sizes.ts";
import { isChosen, playSeeded, roundsOf, SEED } from "../simulation/campaign.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";
import { API, DEPTH, FLOAT, makePayingCoins, type PayingCoins } from "./world/paying-coins.ts";
import {
  buyAtLast,
  buyIfQuoted,
  type Counts,
  judgePayouts,
  makeParties,
  type Operation,
  type Purchase,
  playOperations,
} from "./world/payout-history.ts";
import { makeWorkers } from "./world/workers.ts";

const HISTORIES = roundsOf({ test: 1, campaign: 40 });
const OPERATIONS = 10;
/** The customers who buy at once. Their payouts may share a transaction. */
const TOGETHER_MAX = 3;

const BATCHES = statement(
  "test_coin_batches",
  `select count(*)::int as batches from (select from chain_send_outputs where not is_vacated
     group by send_id having count(*) > 1) shared`,
);
/** The wallet consolidates its coins when it has more than these. */
const ABOVE_COINS = 20;
const SMALL_COINS = 60;
const SMALL_UNITS = 5_000_000n;
const CONSOLIDATIONS = statement(
  "test_coin_consolidations",
  `select count(*) filter (where state = 'final')::int as consolidated,
     count(*) filter (where state in ('bound', 'signed', 'sent'))::int as open
   from chain_sends where purpose in ('rebalance', 'raise')`,
);
/** The worker looks at its own sends every few seconds, and each look mines a block. */
const SLOWLY_MS = 1_000;
const END_MS = 300_000;
const BUSY_MS = 600_000;

/**
 * Random histories of payouts on litecoind: reorganisations above the final block, a node that is restarted, a worker
 * and a signer that are killed, stops, and small coins that become one. The node's own set of coins judges.
 */
describe.skipIf(LITECOIND_PATH === "")("random histories of payouts of coins", () => {
  const numbers = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(numbers.filter((seed) => isChosen(`coin history ${seed}`)))(
    "coin history %i: each payout arrived once, and the balance is exact",
    async (seed) => {
      const world = await makePayingCoins({
        payoutDepth: 1,
        payouts: { batch: { seconds: 1, outputsMax: 5 } },
        consolidate: { aboveCoins: ABOVE_COINS, feeRateMax: 100 },
        // The history may mine more blocks than the network of tests has before its MWEB rules begin.
        node: ["-vbparams=mweb:-2:0"],
      });
      const workers = makeWorkers(world.line.variables, world.world.database);
      const history = { campaign: "chains", name: `coin history ${seed}`, seed };
      try {
        await playSeeded({ ...history, of: "coin histories" }, async () => {
          await world.start(API);
          return playHistory(world, { seed, workers });
        });
      } finally {
        await workers.killAll();
        await world.close();
      }
    },
    BUSY_MS,
  );
});

async function playHistory(
  world: PayingCoins,
  { seed, workers }: { readonly seed: number; readonly workers: ReturnType<typeof makeWorkers> },
): Promise<Counts> {
  const { node, line, signer } = world;
  const purchases: Purchase[] = [];
  const parties = makeParties({ workers, signer, line, rail: "chain:litecoin" });
  await parties.revive();
  await world.fund();
  // They come first, because the wallet that pays them would spend what customers received.
  await world.fund(SMALL_COINS, SMALL_UNITS);
  const float = FLOAT + BigInt(SMALL_COINS) * SMALL_UNITS;
  const buy = async (euro: string): Promise<Purchase> => {
    const to = await world.newAddress();
    return { asset: "ltc", to, view: await world.buy(to, euro) };
  };
  const operations: readonly Operation[] = [
    ...parties.operations,
    {
      name: "buy",
      weight: 6,
      run: async (pick) => {
        await parties.revive();
        const euros = Array.from({ length: 1 + pick(TOGETHER_MAX) }, () => String(20 + pick(100)));
        const bought = await Promise.all(euros.map((euro) => buyIfQuoted(() => buy(euro))));
        purchases.push(...bought.flat());
      },
    },
    { name: "mine", weight: 6, run: (pick) => world.mine(1 + pick(3)) },
    {
      name: "reorganise",
      weight: 3,
      run: (pick) => reorganise(world, 1 + pick(DEPTH - 1)),
    },
    {
      name: "restart node",
      weight: 2,
      run: async () => {
        await node.stop();
        await node.start();
        // A node that starts has no wallet open, and that of the customers is only the test's.
        await node.call("loadwallet", "stranger");
      },
    },
  ];
  purchases.push(await buyAtLast(() => buy("50")));
  const counts = await playOperations(operations, { seed, length: OPERATIONS });
  await parties.heal();
  purchases.push(await buyAtLast(() => buy("50")));
  const paid = await judgePayouts(purchases, {
    read: ({ view }) => world.read(view),
    holds: ({ to }) => world.holds(to),
    advance: () => world.mine(1),
    database: world.world.database,
    mayBeVoid: false,
  });
  const consolidated = await consolidateToTheEnd(world);
  expect(await world.inMempool()).toBe(0);
  expect(await world.walletHolds()).toBe(float - (paid["ltc"] ?? 0n) - (await world.feesPaid()));
  expect((await line.run("ledger", "check")).status).toBe(0);
  expect((await listStops(world.world.database)).map(describeStop)).toEqual([]);
  const [found] = await world.world.database.query<{ batches: number }>(BATCHES);
  return { ...counts, batches: found?.batches ?? 0, consolidated };
}

/** Mines until the wallet has few coins and nothing of its own is under way. Returns the number of consolidations. */
async function consolidateToTheEnd({ world: { database }, mine }: PayingCoins): Promise<number> {
  const read = async () => {
    const [sends] = await database.query<{ consolidated: number; open: number }>(CONSOLIDATIONS);
    return sends ?? { consolidated: 0, open: 0 };
  };
  await expect
    .poll(
      async () => {
        await mine(1);
        const [coins] = await listCoinSizes(database);
        return (await read()).open === 0 && (coins?.count ?? 0) <= ABOVE_COINS;
      },
      { timeout: END_MS, interval: SLOWLY_MS },
    )
    .toBe(true);
  return (await read()).consolidated;
}

/** Drops blocks that are not final for one more block, which are empty. */
async function reorganise({ node, newAddress }: PayingCoins, depth: number): Promise<void> {
  const height = Number(await node.call("getblockcount"));
  const first = await node.call("getblockhash", height - depth + 1);
  await node.call("invalidateblock", first);
  const to = await newAddress();
  for (let block = 0; block <= depth; block += 1) await node.call("generateblock", to, []);
}
