// `npm run bench -- [words of a row's name] [--rounds N] [--seconds N]`: measures the service against
// floors in the same run, floor and service in turn, and prints the median of the rounds' ratios.
import { parseArgs } from "node:util";
import { rows as quotes } from "./rows/quotes.mjs";
import { rows as reads } from "./rows/reads.mjs";
import { rows as tokens } from "./rows/tokens.mjs";
import { rows as webhooks } from "./rows/webhooks.mjs";
import { startMeasuredService } from "./service.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const wanted = positionals.join(" ").toLowerCase();
const rows = [...reads, ...quotes, ...tokens, ...webhooks].filter((row) =>
  row.name.toLowerCase().includes(wanted),
);

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const whole = (number) => Math.round(number).toLocaleString("en");

async function measureRow(service, row) {
  const { floor, service: measured, stop } = await row.prepare(service);
  const results = [];
  await measured(1);
  for (let round = 0; round < rounds; round++) {
    const low = await floor(seconds);
    if (low === undefined) break;
    const high = await measured(seconds);
    results.push({ ratio: high.perSecond / low.perSecond, low, high });
    process.stderr.write(
      `  ${row.name}: round ${round + 1} of ${rounds}, ${results.at(-1).ratio.toFixed(2)}\n`,
    );
  }
  stop();
  return results;
}

function report(row, results) {
  if (results.length === 0) return `${row.name.padEnd(40)} skipped: its floor needs pgbench`;
  const ratio = median(results.map((result) => result.ratio));
  const { low, high } = results.find((result) => result.ratio === ratio);
  const verdict = ratio >= row.target ? "met" : "not met";
  const latency = `p50 ${high.p50} ms, p99 ${high.p99} ms`;
  const figures = `${whole(high.perSecond)}/s against ${whole(low.perSecond)}/s, ${latency}`;
  return `${row.name.padEnd(40)} ${ratio.toFixed(2)} (target ${row.target}, ${verdict}): ${figures}`;
}

if (rows.length === 0) throw new Error(`no row is named like "${wanted}"`);
const service = await startMeasuredService();
try {
  const lines = [];
  for (const row of rows) lines.push(report(row, await measureRow(service, row)));
  console.log(
    `\nmedian of ${rounds} rounds of ${seconds} s, service and floor in turn\n${lines.join("\n")}`,
  );
} finally {
  await service.stop();
}
