// `npm run bench:capacity -- [--rate N] [--seconds N]`: simulates N orders a second in virtual time from measured costs.
// It begins with a small setup, adds to the part that breaks first until the rate holds, and prints each step.
// docs/operating/scaling.md explains the costs and the result.
import { parseArgs } from "node:util";
import { growUntil } from "./grow.mjs";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
  },
});
const perSecond = Number(values.rate);
const seconds = Number(values.seconds);
if (!(perSecond > 0 && seconds > 0)) throw new Error("--rate and --seconds are numbers above 0");

console.log(`${perSecond} orders a second for ${seconds} s of virtual time\n`);
console.log("| Setup | p99 of an order | Breaks first | Then |\n|---|---|---|---|");
let repeated = 0;
let before;
const print = ({ setup, p99, breaksAt, change }) => {
  const words = Object.entries(setup).map(([name, count]) => `${count} ${name}`);
  const time = Number.isFinite(p99) ? `${p99.toFixed(1)} s` : "grows";
  const times = repeated > 1 ? `, ${repeated} times` : "";
  console.log(
    `| ${words.join(", ")} | ${time} | ${breaksAt ?? "holds"} | ${change ? change + times : ""} |`,
  );
};
// Steps that add the same are one line, with the setup before the first of them.
for (const step of growUntil({ perSecond, seconds })) {
  if (before && step.change !== before.change) {
    print(before);
    repeated = 0;
  }
  if (repeated === 0) before = step;
  repeated += 1;
}
print(before);
