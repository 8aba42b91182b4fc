// `npm run bench -- [words of a row's name] [--rounds N] [--seconds N] [--json FILE] [--prism FOLDER]`:
// measures the service against floors in the same run, floor and service in turn; `--soak MINUTES`
// watches its memory under a steady load instead. docs/operating/benchmarks.md says what a row means.
import { parseArgs } from "node:util";
import { measureMemory, measureStarts } from "./figures.mjs";
import { failedRow, measureRow } from "./measure.mjs";
import { tableOf, writeJson } from "./report.mjs";
import { prismRow } from "./rows/quotes.mjs";
import { ROWS } from "./rows.mjs";
import { startMeasuredService, startWatchedService } from "./service.mjs";
import { soak } from "./soak.mjs";
import { soakReport } from "./soak-report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    json: { type: "string", default: "test-results/bench.json" },
    prism: { type: "string" },
    soak: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const startedAt = performance.now();
const progress = (line) => {
  const elapsed = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stderr.write(`  ${elapsed.padStart(4)} s  ${line}\n`);
};

if (values.soak === undefined) await measureAll();
else await watchMemory(Number(values.soak));

async function measureAll() {
  const wanted = positionals.join(" ").toLowerCase();
  const isWanted = ({ name }) => name.toLowerCase().includes(wanted);
  const rows = [...ROWS, ...(values.prism ? [prismRow(values.prism)] : [])].filter(isWanted);
  const wantsStarts = isWanted({ name: "ready" });
  if (rows.length === 0 && !wantsStarts) throw new Error(`no row is named like "${wanted}"`);
  const results = wantsStarts ? await measureStarts({ rounds, progress }) : [];
  if (rows.length > 0) results.push(...(await measureRows(rows)));
  console.log(`\nmedians of ${rounds} rounds of ${seconds} s, service and floor in turn`);
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

/** A row that cannot be measured is told and costs the others nothing. */
async function tryRow(service, row) {
  try {
    return await measureRow(service, row, { rounds, seconds, progress });
  } catch (error) {
    progress(`${row.name}: ${error.stack}`);
    process.exitCode = 1;
    return [failedRow(row, error)];
  }
}

async function watchMemory(minutes) {
  const service = await startWatchedService();
  try {
    const { isMet, text } = soakReport({
      minutes,
      ...(await soak(service, { minutes, progress })),
    });
    console.log(`\n${text}`);
    if (!isMet) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}
