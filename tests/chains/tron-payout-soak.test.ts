import { describe, test } from "vitest";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { isChosen, playSeeded, roundsOf, SEED } from "../simulation/campaign.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import {
  buyAtLast,
  buyIfQuoted,
  type Counts,
  judgePayouts,
  judgeWallet,
  makeParties,
  type Operation,
  type Pick,
  type Purchase,
  playOperations,
} from "./world/payout-history.ts";
import { makeTronFaults } from "./world/tron-faults.ts";
import {
  makeTronPayingWorld,
  newTronAddress,
  TRON_HOT,
  type TronAsset,
  type TronPayingWorld,
} from "./world/tron-paying.ts";
import { TRON_ASSETS } from "./world/tron-world.ts";
import { makeWorkers, type Workers } from "./world/workers.ts";

const HISTORIES = roundsOf({ test: 1, campaign: 40 });
const OPERATIONS = 10;
const ASSETS: readonly TronAsset[] = ["trx", "usdt-tron"];
const BOOKED = { trx: TRON_ASSETS.trx, "usdt-tron": TRON_ASSETS.usdt };
const FAILPOINTS = [
  "send.after_deadline",
  "send.after_renewal",
  "send.before_plan_again",
  "send.after_plan_again",
  "payout.before_reject",
  "payout.after_reject",
] as const;
const SENDS = statement(
  "test_tron_sends",
  `select count(*) filter (where state = 'final')::int as final, count(*) filter (where state = 'dead')::int as dead,
     count(*) filter (where state = 'failed')::int as failed from chain_sends`,
);
const GROW_EVERY_MS = 250;
/** A payout is signed, sent and mined meanwhile. */
const PAUSE_MAX_MS = 1_500;
const BUSY_MS = 600_000;

/**
 * Random histories of payouts with deadlines: transactions that the nodes drop, carry out late or lose with their block,
 * endpoints that are away, a worker and a signer that are killed, stops, and transactions that somebody else makes from
 * our wallet. The balances of anvil, which the servers of Tron stand before, judge.
 */
describe.skipIf(ANVIL_PATH === "")("random histories of payouts on Tron", () => {
  const numbers = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(numbers.filter((seed) => isChosen(`tron history ${seed}`)))(
    "tron history %i: each payout arrived once, and the balance is exact",
    async (seed) => {
      const world = await makeTronPayingWorld({ variables: { EXCHANGE_ROLE: "api" } });
      const workers = makeWorkers(world.line.variables, world.world.database);
      // A chain that stands still sets deadlines that have passed.
      const growing = setInterval(() => void world.grow(1).catch(() => {}), GROW_EVERY_MS);
      const history = { campaign: "chains", name: `tron history ${seed}`, seed };
      try {
        await playSeeded({ ...history, of: "histories of payouts on Tron" }, async () => {
          await world.start();
          return playHistory(world, { seed, workers });
        });
      } finally {
        clearInterval(growing);
        await workers.killAll();
        await world.close();
      }
    },
    BUSY_MS,
  );
});

async function playHistory(
  world: TronPayingWorld,
  { seed, workers }: { readonly seed: number; readonly workers: Workers },
): Promise<Counts> {
  const { line, signer, node } = world;
  const purchases: Purchase[] = [];
  let wasForeign = false;
  const float = Object.fromEntries(
    await Promise.all(
      ASSETS.map(async (asset) => [asset, await world.holds(TRON_HOT, asset)] as const),
    ),
  );
  const rail = "chain:tron";
  const parties = makeParties({ workers, signer, line, rail, failpoints: FAILPOINTS });
  const nodes = makeTronFaults(world);
  await parties.revive();
  const buy = async (asset: TronAsset, euro: string): Promise<Purchase> => {
    const to = newTronAddress();
    return { asset, to, view: await world.buy(asset, to, euro) };
  };
  const pickAsset = (pick: Pick): TronAsset => ASSETS[pick(ASSETS.length)] ?? "trx";
  const operations: readonly Operation[] = [
    ...parties.operations,
    ...nodes.operations,
    {
      name: "buy",
      weight: 6,
      run: async (pick) => {
        // Nobody is quoted coins whose network is not read.
        nodes.reach();
        await parties.revive();
        const euro = String(20 + pick(100));
        purchases.push(...(await buyIfQuoted(() => buy(pickAsset(pick), euro))));
      },
    },
    {
      name: "foreign",
      weight: 1,
      run: async (pick) => {
        wasForeign = true;
        await world.payBehindOurBack(pickAsset(pick));
      },
    },
  ];
  purchases.push(await buyAtLast(() => buy("usdt-tron", "50")));
  const counts = await playOperations(operations, {
    seed,
    length: OPERATIONS,
    pauseMaxMs: PAUSE_MAX_MS,
  });
  await nodes.heal();
  await parties.heal();
  purchases.push(await buyAtLast(() => buy("trx", "50")));
  const advance = async (): Promise<void> => {
    await world.grow();
    // Only a foreign transaction may stop the network by itself.
    if (wasForeign) await parties.resume();
  };
  const paid = await judgePayouts(purchases, {
    read: ({ view }) => world.read(view),
    holds: ({ to, asset }) => world.holds(to, asset as TronAsset),
    advance,
    database: world.world.database,
    // Only its own failure ends a payout here: no other transaction has its place.
    mayBeVoid: nodes.wereCostly(),
  });
  const spent = await world.spentByHot();
  await judgeWallet(world, {
    ...{ networkCode: "tron", assetIds: BOOKED, float, paid, advance },
    fees: spent.fees,
    foreign: spent.foreign,
    mayBeStopped: wasForeign,
    holds: (asset) => world.holds(TRON_HOT, asset as TronAsset),
    head: async () => BigInt(await node.call("eth_blockNumber")),
  });
  const [sends] = await world.world.database.query<Counts>(SENDS);
  return { ...counts, ...sends };
}
