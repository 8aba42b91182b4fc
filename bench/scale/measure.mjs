import { setTimeout as sleep } from "node:timers/promises";
import { startCustomers } from "../customers.mjs";
import { median } from "../measure.mjs";
import { makeCalls } from "./calls.mjs";
import { outsideReadsBetween, outsideReadsOf } from "./outside-reads.mjs";

const RATIO_MAX = 1.3;
const WARM_UPS = 100;
const CUSTOMERS = 8;
const BUYING_SECONDS = 6;
const COMPLETED = "an order, placed to completed and told";

/** Rows of how much slower each call is with the many orders than with the few, while both services run. */
export async function measureScale({ few, many, rounds, print }) {
  const sides = [await openSide(few, print), await openSide(many, print)];
  const measured = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, measure } of measurementsOf(sides)) {
      const pair = await withOutsideReads(sides, () => measure(round));
      // The round before the first warms the caches of both.
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), pair]);
      print(`${name}, round ${round} of ${rounds}: ${told(pair)}`);
    }
  }
  for (const side of sides) await side.stop();
  const counts = [few, many].map(({ state }) => state.loaded.toLocaleString("en"));
  return [...measured].map(([name, pairs]) => rowOf({ name, counts, pairs }));
}

/** By name, what measures a round of both sides. */
function measurementsOf(sides) {
  const each = Object.keys(sides[0].calls).map((name) => {
    const calls = sides.map((side) => side.calls[name]);
    return { name, measure: (round) => timesOf(calls, round) };
  });
  const buyInTurn = async () => [await buy(sides[0]), await buy(sides[1])];
  return [...each, { name: COMPLETED, measure: buyInTurn }];
}

async function openSide({ service, state }, print) {
  await service.start();
  await untilFolded(service, print);
  const { clientId, apiKey } = state.merchant;
  const headers = { "x-client-id": clientId, "x-api-key": apiKey };
  const where = { url: service.url, headers };
  const customers = await startCustomers(where);
  return {
    calls: await makeCalls({ ...where, orders: state.loaded, days: state.days }),
    customers,
    outsideReads: async () => outsideReadsOf(await service.postmasterPid()),
    stop: async () => {
      await customers.stop();
      await service.stop();
    },
  };
}

/** After so much was loaded past the service, it counts all balances anew, behind the payments. */
async function untilFolded({ query }, print) {
  for (let told = 0; ; told++) {
    const [fold] = await query("select counted_entry_id = base_entry_id as done from ledger_fold");
    if (fold?.done) return;
    if (told % 20 === 0) print("waiting until the balances are folded");
    await sleep(500);
  }
}

/** What `measure` gives, and how much each side read meanwhile that PostgreSQL did not hold. */
async function withOutsideReads(sides, measure) {
  const readAll = () => Promise.all(sides.map((side) => side.outsideReads()));
  const before = await readAll();
  const pair = await measure();
  const after = await readAll();
  return pair.map((measured, at) => ({
    ...measured,
    ...outsideReadsBetween(before[at], after[at], measured.requests),
  }));
}

/** One call of each in turn, so that both meet the same moments of the machine. */
async function timesOf(calls, round) {
  const count = round === 0 ? Math.min(calls[0].times, WARM_UPS) : calls[0].times;
  const took = calls.map(() => new Float64Array(count));
  for (let number = 0; number < count; number++) {
    for (const [side, { ask }] of calls.entries()) took[side][number] = await ask();
  }
  return took.map((times) => {
    const sorted = times.sort();
    const at = (part) => sorted[Math.floor(count * part)];
    return { requests: count, p50: at(0.5), p99: at(0.99) };
  });
}

const buy = ({ customers }) => customers.buy({ customers: CUSTOMERS, seconds: BUYING_SECONDS });
const ratioOf = ([low, high]) => high.p50 / low.p50;
const told = (pair) =>
  Number.isFinite(ratioOf(pair))
    ? `${pair.map(({ p50 }) => `${p50.toFixed(2)} ms`).join(", ")}, ${ratioOf(pair).toFixed(2)} times`
    : "no figure";

function rowOf({ name, counts, pairs }) {
  const floor = `the same with ${counts[0]} orders`;
  const row = { row: `${name}, ${counts[1]} orders`, target: RATIO_MAX, floor };
  // A round of buying on a busy machine may end before an order did.
  const known = pairs.filter((pair) => Number.isFinite(ratioOf(pair)));
  if (known.length === 0)
    return { ...row, isMet: false, p50: null, p99: null, why: "nothing was done in time" };
  const ratios = known.map(ratioOf);
  const ratio = median(ratios);
  const [low, high] = known[ratios.indexOf(ratio)];
  return {
    ...row,
    ratio,
    isMet: ratio <= RATIO_MAX,
    p50: high.p50,
    p99: high.p99,
    floorP50: low.p50,
    floorP99: low.p99,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    ...readsOf(known),
  };
}

/** Medians over the rounds, since whatever else the database does meanwhile is counted too. */
function readsOf(pairs) {
  const of = (side, name) => median(pairs.map((pair) => pair[side][name]));
  if (of(0, "blocksRead") === undefined) return {};
  const [floorBlocksRead, blocksRead] = [of(0, "blocksRead"), of(1, "blocksRead")];
  const [floorDiskKb, diskKb] = [of(0, "diskKb"), of(1, "diskKb")];
  return { blocksRead, floorBlocksRead, diskKb, floorDiskKb };
}
