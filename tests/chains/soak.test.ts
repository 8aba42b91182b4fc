import { afterEach, describe, expect, test } from "vitest";
import { Disagreement } from "../../apps/server/src/domain/ports/chain-reader.ts";
import { watchFailpoints } from "../../apps/server/src/failpoints.ts";
import { isChosen, playSeeded, roundsOf, SEED, seededNumbers } from "../simulation/campaign.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { ASSETS, type AssetName, type ChainWorld, makeChainWorld } from "./world/chain-world.ts";
import { BROKEN_ANSWERS } from "./world/lying-proxy.ts";

const HISTORIES = roundsOf({ test: 2, campaign: 100 });
const OPERATIONS = 40;
const ADDRESSES = 6;
/** The block eight below the head is final. A reorganisation that goes deeper stops the network. */
const FINAL_DEPTH = 8;
const QUICK_FAULTS = BROKEN_ANSWERS.filter((broken) => broken !== "no answer");

class Crash extends Error {}

afterEach(() => watchFailpoints(() => {}));

/**
 * Random histories of payments of every kind, reorganisations above the final block, endpoints that fail, and
 * crashes at every commit. After each operation the credited coins are those that the chain has at our final block.
 */
describe.skipIf(ANVIL_PATH === "")("random histories", () => {
  const numbers = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  test.each(numbers.filter((seed) => isChosen(`history ${seed}`)))(
    "history %i: credited is what the chain holds",
    async (seed) => {
      const world = await makeChainWorld({ addresses: ADDRESSES });
      const history = { campaign: "chains", name: `history ${seed}`, seed, of: "histories" };
      try {
        await playSeeded(history, () => playHistory(world, seed));
      } finally {
        await world.close();
      }
    },
    600_000,
  );
});

type Counts = Record<"payments" | "reorganisations" | "crashes" | "disagreements", number>;

async function playHistory(world: ChainWorld, seed: number): Promise<Counts> {
  const random = seededNumbers(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const counts: Counts = { payments: 0, reorganisations: 0, crashes: 0, disagreements: 0 };
  let crashIn = 0;
  watchFailpoints(() => {
    crashIn -= 1;
    if (crashIn === 0) throw new Crash();
  });
  for (let operation = 0; operation < OPERATIONS; operation += 1) {
    const kind = pick(12);
    if (kind < 5) {
      await payAnyhow(world, pick);
      counts.payments += 1;
    } else if (kind < 7) await world.mine(1 + pick(4));
    else if (kind === 7) counts.reorganisations += await reorganiseAbove(world, pick);
    else if (kind === 8) breakOne(world, pick);
    else if (kind === 9) for (const proxy of world.proxies) proxy.behaviour = {};
    else crashIn = 1 + pick(4);
    await scanThroughCrashes(world, counts);
    expect(await world.credited(), `after operation ${operation}`).toEqual(await world.holds());
  }
  crashIn = 0;
  for (const proxy of world.proxies) proxy.behaviour = {};
  await world.restart();
  await world.settle();
  const credited = await world.credited();
  expect(credited).toEqual(await world.holds());
  expect(Object.keys(credited).length).toBeGreaterThan(0);
  return counts;
}

/** A crash is a step that throws at a failpoint; a new scanner then begins with the database alone. */
async function scanThroughCrashes(world: ChainWorld, counts: Counts): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      await world.scan();
      return;
    } catch (error) {
      if (error instanceof Crash) {
        counts.crashes += 1;
        await world.restart();
      } else if (error instanceof Disagreement) counts.disagreements += 1;
      else throw error;
    }
  }
}

async function payAnyhow(world: ChainWorld, pick: (below: number) => number): Promise<void> {
  const index = pick(ADDRESSES);
  const units = BigInt(1 + pick(1_000));
  const address = world.address(index);
  const { usdt, liar, splitter } = world.contracts;
  const names = Object.keys(ASSETS) as AssetName[];
  const ways = [
    () => world.pay(index, names[pick(names.length)] ?? "eth", units),
    () => world.pay(index, "usdt", units),
    () => world.send({ to: splitter, call: ["pay(address)", address], value: units }),
    () => world.send({ create: ["Bomb", address], value: units }),
    () => world.send({ to: splitter, call: ["tryAndFail(address)", address], value: units }),
    () => world.send({ to: liar, call: ["transfer(address,uint256)", address, units] }),
    () => world.send({ to: usdt, call: ["moveSilently(address,uint256)", address, units] }),
    () => world.send({ to: usdt, call: ["setFee(uint256)", BigInt(pick(3) * 50)] }),
  ];
  await ways[pick(ways.length)]?.();
}

/** Returns how many reorganisations it made: none where the final block would be dropped. */
async function reorganiseAbove(
  world: ChainWorld,
  pick: (below: number) => number,
): Promise<number> {
  const head = BigInt(await world.node.call("eth_blockNumber"));
  const deepest = head - BigInt(FINAL_DEPTH);
  const final = await world.finalHeight();
  const room = Number(head - (final > deepest ? final : deepest)) - 1;
  if (room < 1) return 0;
  const depth = 1 + pick(Math.min(room, 6));
  await world.reorganise(depth);
  return 1;
}

function breakOne(world: ChainWorld, pick: (below: number) => number): void {
  const proxy = world.proxies[pick(world.proxies.length)];
  if (!proxy) return;
  proxy.behaviour = pick(2)
    ? { broken: QUICK_FAULTS, isBroken: () => pick(2) === 0 }
    : { lag: 1 + pick(5) };
}
