// `npm run budgets -- [--rounds N] [--json FILE] [--lighthouse [FOLDER]]`: measures what a merchant's page and a
// customer's browser load, and how soon they can use it, against the limits. docs/operating/budgets.md
// says what a row means.
import { parseArgs } from "node:util";
import { build } from "../tools/build.mjs";
import { measureSizes } from "../tools/checks/sizes.mjs";
import { openLab } from "./frontend/lab.mjs";
import { measureLighthouse } from "./frontend/lighthouse.mjs";
import { measureLoads } from "./frontend/loads.mjs";
import { measureMotions } from "./frontend/motions.mjs";
import { measureOpenings } from "./frontend/openings.mjs";
import { rowOf, tableOf, verdictOf, writeRows } from "./frontend/rows.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    json: { type: "string", default: "test-results/budgets.json" },
    lighthouse: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const progress = (line) => process.stderr.write(`  ${line}\n`);

build({ log: progress });
const rows = sizeRows();
const lab = await openLab();
try {
  rows.push(...(await measureLoads(lab, { rounds, progress })));
  rows.push(...(await measureOpenings(lab, { rounds, progress })));
  rows.push(...(await measureMotions(lab, { rounds, progress })));
  if (values.lighthouse !== undefined) {
    rows.push(...(await measureLighthouse(lab, { folder: values.lighthouse, progress })));
  }
} finally {
  await lab.close();
}
console.log(`\nmedians of ${rounds} rounds`);
console.log(tableOf(rows));
writeRows(values.json, rows);
process.exitCode = rows.every(({ isMet }) => isMet) ? 0 : 1;
console.log(verdictOf(rows));

function sizeRows() {
  return measureSizes().map(({ what, bytes, bytesMax }) =>
    rowOf({ row: `${what}, gzip`, figures: [bytes / 1_000], unit: "kB", limit: bytesMax / 1_000 }),
  );
}
