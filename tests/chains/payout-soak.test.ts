import { describe, test } from "vitest";
import { isChosen, playSeeded, roundsOf, SEED } from "../simulation/campaign.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { BROKEN_ANSWERS } from "./world/lying-proxy.ts";
import { HOT, hex, makePayingWorld, newAddress, type PayingWorld } from "./world/paying-world.ts";
import {
  buyAtLast,
  buyIfQuoted,
  type Counts,
  judgePayouts,
  judgeWallet,
  makeParties,
  type Operation,
  type Purchase,
  playOperations,
} from "./world/payout-history.ts";
import { makeWorkers } from "./world/workers.ts";

const HISTORIES = roundsOf({ test: 1, campaign: 40 });
const OPERATIONS = 10;
const QUICK_FAULTS = BROKEN_ANSWERS.filter((broken) => broken !== "no answer");
const GWEI = 10n ** 9n;
/** The base fees that the market jumps between, in gwei. Each is within the signer's limits. */
const MARKETS = [1n, 15n, 40n, 90n];
const ASSETS = ["eth", "usdt", "usdc"] as const;
const BOOKED = { eth: 1010, usdt: 1020, usdc: 1030 } as const;
const BUSY_MS = 600_000;

/**
 * Random histories of payouts on anvil: a market that jumps, reorganisations above the final block, endpoints that
 * fail, a worker and a signer that are killed, stops, and transactions that somebody else makes from our wallet.
 * The chain's own balances judge.
 */
describe.skipIf(ANVIL_PATH === "")("random histories of payouts", () => {
  const numbers = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(numbers.filter((seed) => isChosen(`payout history ${seed}`)))(
    "payout history %i: each payout arrived once, and the balance is exact",
    async (seed) => {
      const world = await makePayingWorld({
        variables: { EXCHANGE_ROLE: "api" },
        network: { payoutDepth: 2 },
      });
      const workers = makeWorkers(world.line.variables, world.world.database);
      const history = { campaign: "chains", name: `payout history ${seed}`, seed };
      try {
        await playSeeded({ ...history, of: "payout histories" }, async () => {
          await world.start();
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
  world: PayingWorld,
  { seed, workers }: { readonly seed: number; readonly workers: ReturnType<typeof makeWorkers> },
): Promise<Counts> {
  const { node, proxies, line, signer } = world;
  const purchases: Purchase[] = [];
  const foreign: string[] = [];
  const float = await balancesOf(world);
  const parties = makeParties({ workers, signer, line, rail: "chain:ethereum" });
  const reach = (): void => {
    for (const proxy of proxies) proxy.behaviour = {};
  };
  await parties.revive();
  await node.call("evm_setAutomine", false);
  const buy = async (asset: (typeof ASSETS)[number], euro: string): Promise<Purchase> => {
    const to = newAddress();
    return { asset, to, view: await world.buy(asset, to, euro) };
  };
  const operations: readonly Operation[] = [
    ...parties.operations,
    {
      name: "buy",
      weight: 6,
      run: async (pick) => {
        // Nobody is quoted coins whose network is not read.
        reach();
        await parties.revive();
        const asset = ASSETS[pick(ASSETS.length)] ?? "eth";
        const euro = String(20 + pick(100));
        purchases.push(...(await buyIfQuoted(() => buy(asset, euro))));
      },
    },
    { name: "mine", weight: 6, run: (pick) => world.mine(1 + pick(3)) },
    {
      name: "market",
      weight: 3,
      run: async (pick) => {
        const price = (MARKETS[pick(MARKETS.length)] ?? 1n) * GWEI;
        await node.call("anvil_setNextBlockBaseFeePerGas", hex(price));
        await world.mine(1);
      },
    },
    {
      name: "reorganise",
      weight: 2,
      run: (pick) => node.call("anvil_reorg", 1 + pick(3), []).then(() => {}),
    },
    {
      name: "endpoints",
      weight: 2,
      run: async (pick) => {
        const away = pick(3) === 0 ? proxies : [proxies[pick(proxies.length)]];
        for (const proxy of away) if (proxy) proxy.behaviour = { broken: QUICK_FAULTS };
      },
    },
    { name: "endpoints return", weight: 2, run: async () => reach() },
    {
      name: "foreign",
      weight: 1,
      run: async () => void foreign.push(await payBehindOurBack(world, foreign.length)),
    },
  ];
  purchases.push(await buyAtLast(() => buy("eth", "50")));
  const counts = await playOperations(operations, { seed, length: OPERATIONS });
  reach();
  await parties.heal();
  await node.call("anvil_setNextBlockBaseFeePerGas", hex(GWEI));
  purchases.push(await buyAtLast(() => buy("usdt", "50")));
  const paid = await judgePayouts(purchases, {
    read: ({ view }) => world.read(view),
    holds: ({ to, asset }) => world.holds(to, asset as (typeof ASSETS)[number]),
    advance: async () => {
      await world.mine(2);
      // Only a foreign transaction may stop the network by itself.
      if (foreign.length > 0) await parties.resume();
    },
    database: world.world.database,
    mayBeVoid: foreign.length > 0,
  });
  const spent = await spentByWallet(world, foreign);
  await judgeWallet(world, {
    ...{ networkCode: "ethereum", assetIds: BOOKED, float, paid },
    fees: spent.fees,
    foreign: { eth: spent.foreign },
    mayBeStopped: foreign.length > 0,
    holds: (asset) => world.holds(HOT, asset as (typeof ASSETS)[number]),
    advance: () => world.mine(1),
    head: async () => BigInt(await node.call("eth_blockNumber")),
  });
  return counts;
}

const balancesOf = async (world: PayingWorld): Promise<Readonly<Record<string, bigint>>> =>
  Object.fromEntries(
    await Promise.all(ASSETS.map(async (asset) => [asset, await world.holds(HOT, asset)] as const)),
  );

/**
 * Uses the next nonce of the wallet, at a price that no transaction of ours pays. A block that was dropped may have left an
 * earlier one at this nonce, so each pays more than those before.
 */
async function payBehindOurBack({ node, nonce }: PayingWorld, earlier: number): Promise<string> {
  const price = hex((500n + 150n * BigInt(earlier)) * GWEI);
  return node.call("eth_sendTransaction", {
    ...{ from: HOT, to: newAddress(), value: "0x1", nonce: hex(await nonce()), gas: "0x5208" },
    ...{ maxFeePerGas: price, maxPriorityFeePerGas: price },
  });
}

interface MinedTransaction {
  readonly from: string;
  readonly hash: string;
  readonly value: string;
}

/** Returns what the wallet's transactions cost, ours and those of somebody else, as the blocks of the node say. */
async function spentByWallet({ node }: PayingWorld, foreign: readonly string[]) {
  const spent = { fees: 0n, foreign: 0n };
  const head = Number(await node.call("eth_blockNumber"));
  for (let height = 0; height <= head; height += 1) {
    const block = await node.call<{ transactions: readonly MinedTransaction[] }>(
      "eth_getBlockByNumber",
      hex(height),
      true,
    );
    for (const { from, hash, value } of block.transactions) {
      if (from.toLowerCase() !== HOT.toLowerCase()) continue;
      const receipt = await node.call<{ gasUsed: string; effectiveGasPrice: string }>(
        "eth_getTransactionReceipt",
        hash,
      );
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      if (foreign.includes(hash)) spent.foreign += fee + BigInt(value);
      else spent.fees += fee;
    }
  }
  return spent;
}
