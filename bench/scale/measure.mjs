import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startCustomers } from "../customers.mjs";
import { failedRow, median, resultOf } from "../measure.mjs";
import { childrenOf } from "../processes.mjs";
import { makeCalls } from "./calls.mjs";
import { openLists } from "./lists.mjs";

const TARGETS = { must: 1.3, aim: 1.1, isUpperBound: true };
const WARM_UPS = 100;
const CUSTOMERS = 8;
const BUYING_SECONDS = 6;
const WHOLE_ORDER = "an order, placed to completed, two webhooks delivered";
const BLOCK_BYTES = 8_192;
/** The processes that read for a request: the connections, and those that read ahead for them. */
const READERS = /\[local\]|io worker/;

/** Measures how much slower each call is with many orders than with few, while both services run. */
export async function measureScale({ few, many, rounds, print }) {
  const sides = [await openSide(few, print), await openSide(many, print)];
  const measured = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, measure } of measurementsOf(sides)) {
      const pair = await withDiskReads(sides, () => measure(round));
      // Round 0 warms the caches of both sides.
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), pair]);
      print(`${name}, round ${round} of ${rounds}: ${sentenceOf(pair)}`);
    }
  }
  for (const side of sides) await side.stop();
  const counts = [few, many].map(({ state }) => state.loaded.toLocaleString("en"));
  return [...measured].map(([name, pairs]) => rowOf({ name, counts, pairs }));
}

/** Returns, by name, a function that measures one round of both sides. */
function measurementsOf(sides) {
  const single = Object.keys(sides[0].calls).map((name) => {
    const calls = sides.map((side) => side.calls[name]);
    return { name, measure: (round) => timesOf(calls, round) };
  });
  const buyInTurn = async () => [await buy(sides[0]), await buy(sides[1])];
  return [...single, { name: WHOLE_ORDER, measure: buyInTurn }];
}

async function openSide({ service, state }, print) {
  await service.start();
  await untilFolded(service, print);
  const { clientId, apiKey } = state.merchant;
  const headers = { "x-client-id": clientId, "x-api-key": apiKey };
  const where = { url: service.url, headers };
  const customers = await startCustomers(where);
  const lists = await openLists({ dataDir: service.dataDir, merchantId: clientId });
  return {
    calls: {
      ...(await makeCalls({ ...where, orders: state.loaded, days: state.days })),
      ...lists.calls,
    },
    customers,
    diskReads: async () => diskReadsOf(await service.postmasterPid()),
    stop: async () => {
      await lists.close();
      await customers.stop();
      await service.stop();
    },
  };
}

/** Orders that were loaded past the service make it count all balances again in the background. */
async function untilFolded({ query }, print) {
  for (let looks = 0; ; looks++) {
    const [fold] = await query("select counted_entry_id = base_entry_id as done from ledger_fold");
    if (fold?.done) return;
    if (looks % 20 === 0) print("waiting until the balances are folded");
    await sleep(500);
  }
}

/** Adds to each side's figures how much PostgreSQL read meanwhile that its buffers did not hold. */
async function withDiskReads(sides, measure) {
  const readAll = () => Promise.all(sides.map((side) => side.diskReads()));
  const before = await readAll();
  const pair = await measure();
  const after = await readAll();
  return pair.map((measured, side) => {
    if (before[side] === undefined || after[side] === undefined) return measured;
    const perCall = (name) =>
      Math.max(0, after[side][name] - before[side][name]) / measured.requests;
    return { ...measured, blocksRead: perCall("blocks"), diskKb: perCall("diskBytes") / 1_000 };
  });
}

/**
 * Returns what PostgreSQL has read from outside its own buffers: `blocks` from the operating system, and
 * the bytes of them that came from the disk. Undefined where there is no /proc.
 */
async function diskReadsOf(postmasterPid) {
  const all = await Promise.all((await childrenOf(postmasterPid)).map(readsOf));
  const reads = all.filter(Boolean);
  if (reads.length === 0) return undefined;
  const sum = (name) => reads.reduce((total, each) => total + each[name], 0);
  return { blocks: sum("rchar") / BLOCK_BYTES, diskBytes: sum("read_bytes") };
}

async function readsOf(pid) {
  const [title, counts] = await Promise.all(
    ["cmdline", "io"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")),
  );
  if (counts === "" || !READERS.test(title)) return undefined;
  const lines = counts.split("\n").map((line) => line.split(": "));
  return Object.fromEntries(lines.map(([name, value]) => [name, Number(value)]));
}

/** Makes one call of each side in turn, so that both meet the same moments of the machine. */
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
const sentenceOf = (pair) =>
  Number.isFinite(ratioOf(pair))
    ? `${pair.map(({ p50 }) => `${p50.toFixed(2)} ms`).join(", ")}, ${ratioOf(pair).toFixed(2)} times`
    : "no figure";

function rowOf({ name, counts, pairs }) {
  const floor = `the same with ${counts[0]} orders`;
  const row = { row: `${name}, ${counts[1]} orders`, floor, ...TARGETS };
  // On a busy machine a round of buying may end before an order was completed.
  const finished = pairs.filter((pair) => Number.isFinite(ratioOf(pair)));
  if (finished.length === 0) {
    return failedRow({ ...row, name: row.row }, new Error("no call was finished in time"));
  }
  const ratios = finished.map(ratioOf);
  const result = resultOf(row, ratios);
  const [low, high] = finished[ratios.indexOf(result.ratio)];
  const latencies = { p50: high.p50, p99: high.p99, floorP50: low.p50, floorP99: low.p99 };
  return { ...result, ...latencies, ...diskReadMedians(finished) };
}

/** Medians over the rounds, since the counts include what else the database does meanwhile. */
function diskReadMedians(pairs) {
  const of = (side, name) => median(pairs.map((pair) => pair[side][name]));
  if (of(0, "blocksRead") === undefined) return {};
  const [floorBlocksRead, blocksRead] = [of(0, "blocksRead"), of(1, "blocksRead")];
  const [floorDiskKb, diskKb] = [of(0, "diskKb"), of(1, "diskKb")];
  return { blocksRead, floorBlocksRead, diskKb, floorDiskKb };
}
