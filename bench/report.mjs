import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const HEAD = [
  ["Row", "Figure, median (spread)", "Must", "Aim", "Verdict"],
  ["A second, against", "p50, p99", "Processor, µs"],
].flat();

const whole = (number) => Math.round(number).toLocaleString("en");
const figure = (number) => (number >= 100 ? whole(number) : number.toFixed(number < 0.1 ? 3 : 2));
const isFigure = (value) => value !== undefined && value !== null && !Number.isNaN(value);

/** Returns a table in Markdown, a line for each row, as docs/operating/benchmarks.md shows it. */
export function tableOf(results) {
  const lines = [HEAD, HEAD.map(() => "---"), ...results.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellsOf(result) {
  const { row, ratio, unit = "", must, aim, spread } = result;
  if (!isFigure(ratio))
    return [
      row,
      result.why,
      target(must, result),
      target(aim, result),
      verdictOf(result),
      "",
      "",
      "",
    ];
  const range = spread && spread[0] !== spread[1] ? ` (${spread.map(figure).join("–")})` : "";
  return [
    row,
    `${figure(ratio)}${unit}${range}`,
    target(must, result),
    target(aim, result),
    verdictOf(result),
    ratesOf(result),
    latenciesOf(result),
    processorOf(result),
  ];
}

const target = (value, { unit = "", isUpperBound }) =>
  isFigure(value) ? `${isUpperBound ? "at most " : ""}${value}${unit}` : "";

function verdictOf({ isMet, isAimReached }) {
  if (isAimReached) return "aim";
  return isMet ? "must" : "**not met**";
}

const ratesOf = ({ perSecond, floorPerSecond }) =>
  [perSecond, floorPerSecond].filter(isFigure).map(whole).join(" against ");

function latenciesOf({ p50, p99, floorP50 }) {
  if (!isFigure(p50)) return "";
  const floor = isFigure(floorP50) ? ` against ${floorP50.toFixed(2)} ms` : "";
  return `${p50.toFixed(2)}, ${p99.toFixed(2)} ms${floor}`;
}

const processorOf = ({ cpuUs, floorCpuUs }) =>
  [cpuUs, floorCpuUs].filter(isFigure).map(whole).join(" against ");

export function writeJson(file, results) {
  const rows = results.map(({ ratio, ...rest }) => ({ ...rest, ratio: ratio ?? null }));
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ rows }, null, 2)}\n`);
}
