import { setTimeout as sleep } from "node:timers/promises";
import { startCustomers } from "../customers.mjs";
import { median } from "../measure.mjs";
import { makeCalls } from "./calls.mjs";

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
      const pair = await measure(round);
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
    return { p50: at(0.5), p99: at(0.99) };
  });
}

const buy = ({ customers }) => customers.buy({ customers: CUSTOMERS, seconds: BUYING_SECONDS });
const ratioOf = ([low, high]) => high.p50 / low.p50;
const told = (pair) =>
  `${pair.map(({ p50 }) => `${p50.toFixed(2)} ms`).join(", ")}, ${ratioOf(pair).toFixed(2)} times`;

function rowOf({ name, counts, pairs }) {
  const ratios = pairs.map(ratioOf);
  const ratio = median(ratios);
  const [low, high] = pairs[ratios.indexOf(ratio)];
  return {
    row: `${name}, ${counts[1]} orders`,
    ratio,
    target: RATIO_MAX,
    isMet: ratio <= RATIO_MAX,
    floor: `the same with ${counts[0]} orders`,
    p50: high.p50,
    p99: high.p99,
    floorP50: low.p50,
    floorP99: low.p99,
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}
