// `npm run bench -- [words of a row's name] [--rounds N] [--seconds N] [--json FILE] [--prism FOLDER]`:
// measures the service against floors in the same run, floor and service in turn. With
// `--soak MINUTES` it watches memory under a steady load instead, and with `--observed` it compares the cost
// of the access log and of traces. docs/operating/benchmarks.md explains every row.
import { parseArgs } from "node:util";
import { failedRow, measureRow, resultOf } from "./measure.mjs";
import { measureObserved, observedTable } from "./observed.mjs";
import { nodeMemoryMb } from "./processes.mjs";
import { tableOf, writeJson } from "./report.mjs";
import { API_ROWS, prismRow } from "./rows/api.mjs";
import { ORDER_ROWS } from "./rows/orders.mjs";
import { WEBHOOK_ROWS } from "./rows/webhooks.mjs";
import {
  makeDataDir,
  startMeasuredService,
  startService,
  startWatchedService,
} from "./service.mjs";
import { soak, soakReport } from "./soak.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    json: { type: "string", default: "test-results/bench.json" },
    prism: { type: "string" },
    soak: { type: "string" },
    observed: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const startedAt = performance.now();
const progress = (line) => {
  const elapsed = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stderr.write(`  ${elapsed.padStart(4)} s  ${line}\n`);
};

if (values.observed) await compareObserved();
else if (values.soak === undefined) await measureAll();
else await watchMemory(Number(values.soak));

async function compareObserved() {
  const results = await measureObserved({ rounds, seconds, progress });
  console.log(`\nmedians of ${rounds} rounds of ${seconds} s, in turn\n`);
  console.log(observedTable(results));
  writeJson(values.json, results);
}

async function measureAll() {
  const wanted = positionals.join(" ").toLowerCase();
  const isWanted = ({ name }) => name.toLowerCase().includes(wanted);
  const prism = values.prism ? [prismRow(values.prism)] : [];
  const rows = [...API_ROWS, ...prism, ...ORDER_ROWS, ...WEBHOOK_ROWS].filter(isWanted);
  const wantsStarts = isWanted({ name: "ready" });
  if (rows.length === 0 && !wantsStarts) throw new Error(`no row has "${wanted}" in its name`);
  const results = wantsStarts ? await measureStarts() : [];
  if (rows.length > 0) results.push(...(await measureRows(rows)));
  console.log(`\nmedians of ${rounds} rounds of ${seconds} s, service and floor in turn\n`);
  console.log(tableOf(results));
  writeJson(values.json, results);
}

async function measureRows(rows) {
  const service = await startMeasuredService();
  const results = [];
  try {
    for (const row of rows) results.push(...(await tryRow(service, row)));
    return [...results, await measureMemory(service)];
  } finally {
    await service.stop();
  }
}

/** Reports a row that cannot be measured and goes on with the others. */
async function tryRow(service, row) {
  try {
    return await measureRow(service, row, { rounds, seconds, progress });
  } catch (error) {
    progress(`${row.name}: ${error.stack}`);
    process.exitCode = 1;
    return [failedRow(row, error)];
  }
}

/** Measures how soon an installed and built service is ready: on an empty data folder, and after that. */
async function measureStarts() {
  const [first, next] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    const { dataDir, remove } = await makeDataDir();
    for (const figures of [first, next]) {
      const service = await startService(dataDir);
      figures.push(service.readySeconds);
      await service.stop();
    }
    await remove();
    const figures = [first, next].map((each) => `${each.at(-1).toFixed(1)} s`);
    progress(`ready: round ${round} of ${rounds}, ${figures.join(", ")}`);
  }
  const bound = { unit: " s", isUpperBound: true };
  return [
    resultOf({ row: "ready, first start", must: 3, aim: 2, ...bound }, first),
    resultOf({ row: "ready, next start", must: 1.5, aim: 0.9, ...bound }, next),
  ];
}

/** Measures the resident memory of the service's Node processes after the other rows. */
async function measureMemory(service) {
  const target = { row: "memory after the run", unit: " MB", must: 250, aim: 180 };
  return resultOf({ ...target, isUpperBound: true }, [await nodeMemoryMb(service.pid)]);
}

async function watchMemory(minutes) {
  const service = await startWatchedService();
  try {
    const watched = await soak(service, { minutes, progress });
    const { isMet, text } = soakReport({ minutes, ...watched });
    console.log(`\n${text}`);
    if (!isMet) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}
