// `npm run bench:scale -- [--orders N] [--days N] [--keep FOLDER] [--rounds N] [--json FILE]`: makes the
// same calls over ten thousand orders and over a million and ten million, in turn. The cost of a request
// must not grow with the number of orders. docs/operating/benchmarks.md explains every row.
import { statfs } from "node:fs/promises";
import { parseArgs } from "node:util";
import { build } from "../../tools/build.mjs";
import { resultOf } from "../measure.mjs";
import { tableOf, writeJson } from "../report.mjs";
import { measureScale } from "./measure.mjs";
import { openShelf } from "./shelf.mjs";

const FEW = 10_000;
const MANY = 1_000_000;
/** Database size of an order: the rows that stay, and its events with their deliveries. */
const BYTES_PER_ORDER = 4_250;
const BYTES_OF_EVENTS_PER_ORDER = 1_850;
/** The service deletes events after this many days. */
const EVENT_DAYS = 90;
/** For the write-ahead log, the sorting of indexes, the few orders and the written rows. */
const BYTES_SPARE = 6_000_000_000;

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "10000000" },
    days: { type: "string", default: "80" },
    keep: { type: "string" },
    rounds: { type: "string", default: "5" },
    json: { type: "string", default: "test-results/bench-scale.json" },
  },
});
const orders = Number(values.orders);
const days = Number(values.days);
const rounds = Number(values.rounds);
const startedAt = performance.now();
const print = (line) => {
  const elapsed = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stderr.write(`  ${elapsed.padStart(5)} s  ${line}\n`);
};

build({ log: print });
const shelf = await openShelf({ folder: values.keep, days, print });
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
]) {
  process.once(signal, async () => {
    await shelf.close();
    process.exit(128 + number);
  });
}
const results = [];
try {
  await requireDisk({
    folder: shelf.folder,
    orders: orders - (await shelf.loaded("many")),
    days,
    print,
  });
  const few = await shelf.booksOf("few", FEW);
  for (const count of [MANY, orders].filter(
    (each, at, all) => each <= orders && all.indexOf(each) === at,
  )) {
    if ((await shelf.loaded("many")) > count) continue;
    const many = await shelf.booksOf("many", count);
    results.push(...(await measureScale({ few, many, rounds, print })));
    writeJson(values.json, results);
    results.push(await checkedRow(many));
    writeJson(values.json, results);
  }
  for (const line of await shelf.sizes("many")) console.log(line);
} finally {
  await shelf.close();
}
console.log(`\nmedians of ${rounds} rounds, in turn with ${FEW.toLocaleString("en")} orders`);
console.log(tableOf(results));

/** Prints how much disk the orders need. Throws when less is free. */
async function requireDisk({ folder, orders, days, print }) {
  const storedShare = Math.min(1, EVENT_DAYS / days);
  const perOrder = BYTES_PER_ORDER + BYTES_OF_EVENTS_PER_ORDER * storedShare;
  const needed = Math.max(0, orders) * perOrder + BYTES_SPARE;
  const { bavail, bsize } = await statfs(folder);
  const gigabytes = (bytes) => (bytes / 1e9).toFixed(1);
  print(`needs ${gigabytes(needed)} GB in ${folder}, ${gigabytes(bavail * bsize)} GB are free`);
  if (bavail * bsize >= needed) return;
  throw new Error(
    "There is not enough free disk: ask for fewer --orders, or spread them over more --days.",
  );
}

/** Checks the ledger of the loaded and the written orders, and that the auditor stopped no payout. */
async function checkedRow({ service, state }) {
  const { ok, seconds, text } = await service.checkLedger();
  const [{ stops }] = await service.withDatabase((database) =>
    database.query({ name: "scale_stops", text: "select count(*)::int as stops from stops" }),
  );
  print(`ledger check: ${text}, in ${seconds.toFixed(0)} s; ${stops} stops of payouts`);
  if (!ok || stops > 0) process.exitCode = 1;
  const row = `ledger check, problems and stops, ${state.loaded.toLocaleString("en")} orders`;
  return resultOf({ row, must: 0, aim: 0, isUpperBound: true }, [(ok ? 0 : 1) + stops]);
}
