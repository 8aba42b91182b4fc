// `npm run bench:scale -- [--orders N] [--days N] [--keep FOLDER] [--rounds N] [--json FILE]`: the same
// reads and writes over ten thousand orders and over a million and ten million, in turn: what a request
// costs must not grow with the books. docs/operating/benchmarks.md says what a row means.
import { parseArgs } from "node:util";
import { build } from "../../tools/build.mjs";
import { tableOf, writeJson } from "../report.mjs";
import { requireDisk } from "./disk.mjs";
import { measureScale } from "./measure.mjs";
import { openShelf } from "./shelf.mjs";

const FEW = 10_000;
const MANY = 1_000_000;

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

/** Whether the books of the stage hold, those it was loaded with and those it wrote. */
async function checkedRow({ service, state }) {
  const { ok, seconds, text } = await service.checkLedger();
  if (!ok) process.exitCode = 1;
  const why = `${ok ? "right" : "WRONG"}: ${text}, in ${seconds.toFixed(0)} s`;
  print(`the ledger's check: ${why}`);
  const row = `the ledger's check, ${state.loaded.toLocaleString("en")} orders`;
  return { row, target: null, isMet: ok, floor: "", p50: null, p99: null, why };
}
