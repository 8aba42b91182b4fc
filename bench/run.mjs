// `npm run bench -- [words of a row's name] [--rounds N] [--seconds N] [--json FILE]`:
// measures the service against floors in the same run, floor and service in turn; docs/operating/
// benchmarks.md says what each row means.
import { parseArgs } from "node:util";
import { measureRow } from "./measure.mjs";
import { tableOf, writeJson } from "./report.mjs";
import { ROWS } from "./rows.mjs";
import { startMeasuredService } from "./service.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    json: { type: "string", default: "test-results/bench.json" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const wanted = positionals.join(" ").toLowerCase();
const rows = ROWS.filter((row) => row.name.toLowerCase().includes(wanted));

if (rows.length === 0) throw new Error(`no row is named like "${wanted}"`);
const progress = (line) => process.stderr.write(`  ${line}\n`);
const service = await startMeasuredService();
const results = [];
try {
  for (const row of rows) {
    results.push(...(await measureRow(service, row, { rounds, seconds, progress })));
  }
  console.log(`\nmedians of ${rounds} rounds of ${seconds} s, service and floor in turn`);
  console.log(tableOf(results));
  writeJson(values.json, results);
} finally {
  await service.stop();
}
