import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const whole = (number) => Math.round(number).toLocaleString("en");
const figure = (number) => (number >= 100 ? whole(number) : number.toFixed(2));

/** One line a row: the median and its spread, the target, then what stands behind it. */
export function tableOf(results) {
  const width = Math.max(...results.map(({ row }) => row.length));
  return results.map((result) => `${result.row.padEnd(width)}  ${lineOf(result)}`).join("\n");
}

function lineOf(result) {
  const { ratio, target, isMet, spread, unit = "" } = result;
  if (ratio === undefined) return result.why;
  const verdict = isMet ? "met" : "not met";
  const range = spread ? ` (${figure(spread[0])}-${figure(spread[1])})` : "";
  return `${figure(ratio)}${unit}${range}, target ${target}${unit}: ${verdict}. ${detailOf(result)}`;
}

function detailOf(result) {
  const { perSecond, floorPerSecond, p50, p99, cpuUs, floorCpuUs, floor } = result;
  const parts = [];
  if (floorPerSecond)
    parts.push(`${whole(perSecond)}/s against ${whole(floorPerSecond)}/s of ${floor}`);
  else if (perSecond) parts.push(`at ${whole(perSecond)}/s`);
  if (p50 !== null) parts.push(`p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  if (cpuUs && floorCpuUs)
    parts.push(`processor ${cpuUs.toFixed(1)} µs a request against ${floorCpuUs.toFixed(1)}`);
  if (result.blocksRead !== undefined) parts.push(outsideReads(result));
  return parts.join("; ");
}

/** Of each call, by PostgreSQL: what its own buffers did not hold, and how much of that no cache held. */
const outsideReads = ({ blocksRead, floorBlocksRead, diskKb, floorDiskKb }) =>
  `blocks read ${figure(blocksRead)} against ${figure(floorBlocksRead)}, ` +
  `from the disk ${figure(diskKb)} kB against ${figure(floorDiskKb)}`;

export function writeJson(file, results) {
  const rows = results.map(({ ratio, ...rest }) => ({ ...rest, ratio: ratio ?? null }));
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ rows }, null, 2)}\n`);
}
