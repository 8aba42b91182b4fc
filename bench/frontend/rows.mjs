import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { median } from "../measure.mjs";

/**
 * @typedef {object} Row A figure and the limit it has to keep.
 * @property {string} row
 * @property {number} figure the median
 * @property {number[]} spread least and most
 * @property {string} unit
 * @property {number} limit at most, or at least where `least` is said
 * @property {boolean} least
 * @property {boolean} isMet
 */

/** @returns {Row} */
export function rowOf({ row, figures, unit, limit, least = false }) {
  const figure = median(figures);
  const spread = [Math.min(...figures), Math.max(...figures)];
  const isMet = figures.length > 0 && (least ? figure >= limit : figure <= limit);
  return { row, figure, spread, unit, limit, least, isMet };
}

export function tableOf(rows) {
  const width = Math.max(...rows.map(({ row }) => row.length));
  return rows.map((each) => `${each.row.padEnd(width)}  ${lineOf(each)}`).join("\n");
}

function lineOf({ figure, spread, unit, limit, least, isMet }) {
  const [low, high] = spread;
  const range = low === high ? "" : ` (${plain(low)}-${plain(high)})`;
  const bound = `${least ? "at least" : "at most"} ${plain(limit)}`;
  return `${plain(figure).padStart(7)} ${unit.padEnd(8)} ${bound.padEnd(14)} ${isMet ? "met" : "NOT MET"}${range}`;
}

const plain = (number) => String(Number(number.toFixed(number < 1 ? 3 : number < 100 ? 1 : 0)));

export function verdictOf(rows) {
  const broken = rows.filter(({ isMet }) => !isMet);
  return broken.length === 0
    ? `budgets: all ${rows.length} met`
    : `budgets: ${broken.length} of ${rows.length} NOT MET`;
}

export function writeRows(file, rows) {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ rows }, null, 2)}\n`);
}
