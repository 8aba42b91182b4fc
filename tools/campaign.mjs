// `npm run campaign -- <name> [--seed N] [--rounds N] [--only words]`: the long reliability runs. Each
// prints its seed, its progress, a summary, and for every failure the one line that replays it.
// Exit status 0 when nothing failed. docs/operating/campaigns.md says what each one proves.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";

/** A campaign is a module with `campaign(options)`, which returns `{ ran, failures }`. */
const CAMPAIGNS = {
  crash: "every crash and every ordered pair of crashes on every journey",
  races: "commands that exclude each other, started together on real PostgreSQL",
  decisions: "people decide about orders in any order while customers pay again",
  models: "random commands against small models of orders, ledger and quotes",
  zoo: "planted defects: the suite must go red for each",
  database: "PostgreSQL stopped in the middle of load",
  failover: "a cluster of Patroni loses its primary while customers buy",
  systemd: "the Debian package is installed, killed and removed on a machine with systemd",
  upgrade: "an earlier version is replaced by this one while customers buy",
  webhooks: "deliveries under faults, their workers killed at random",
  chains:
    "random histories of real chains, of deposits and of payouts: reorganisations, faults, crashes",
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    rounds: { type: "string" },
    only: { type: "string" },
  },
});
const [name] = positionals;

function usage(sentence) {
  console.error(`campaign: ${sentence}\n`);
  console.error("npm run campaign -- <name> [--seed N] [--rounds N] [--only words]\n");
  for (const [each, summary] of Object.entries(CAMPAIGNS)) {
    console.error(`  ${each.padEnd(9)} ${summary}`);
  }
  process.exit(2);
}

function wholeNumber(option) {
  const text = values[option];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) usage(`--${option} takes a whole number, not ${text}`);
  return Number(text);
}

if (name === undefined || !Object.hasOwn(CAMPAIGNS, name)) {
  usage(name === undefined ? "name a campaign" : `there is no campaign ${name}`);
}
const file = new URL(`./campaigns/${name}.mjs`, import.meta.url);
if (!existsSync(file)) usage(`the campaign ${name} is not part of this tree`);

const options = {
  seed: wholeNumber("seed") ?? Math.floor(Math.random() * 1_000_000_000),
  rounds: wholeNumber("rounds"),
  only: values.only,
  print: (line) => console.log(line),
};
// The handlers of `exit` stop the processes of a campaign and delete its copies.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const startedAtMs = performance.now();
build({ log: options.print });
console.log(`campaign ${name}: ${CAMPAIGNS[name]}; seed ${options.seed}`);
const { campaign } = await import(file.href);
const { ran, failures } = await campaign(options);
const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
for (const failure of failures) console.log(`\nFAILED ${failure}`);
if (ran === 0) console.log("the campaign ran no case");
const isGreen = failures.length === 0 && ran > 0;
console.log(
  `\ncampaign ${name}: ${isGreen ? "green" : "RED"}; ${ran.toLocaleString("en")} run, ` +
    `${failures.length} failed, ${seconds} s, seed ${options.seed}`,
);
process.exitCode = isGreen ? 0 : 1;
