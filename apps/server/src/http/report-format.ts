import { stringify } from "csv-stringify/sync";
import type { ReportRow } from "../flows/reports/read.ts";

/** Writes a report in parts, so that a report of any length is never held in memory. */
export interface ReportFormat {
  readonly head: string;
  readonly rows: (rows: readonly ReportRow[]) => string;
  readonly foot: string;
}

/** A report as CSV (RFC 4180). The first line names the columns, also in an empty report. */
export function csvFormat(columns: readonly string[]): ReportFormat {
  const options = {
    columns: [...columns],
    record_delimiter: "windows",
    // A single CR or LF ends a line too for many readers. The library quotes only the pair.
    quoted_match: /[\r\n]/,
    cast: { string: disarmFormula },
  } as const;
  return {
    head: stringify([[...columns]], options),
    rows: (rows) => stringify([...rows], options),
    foot: "",
  };
}

const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A spreadsheet whose lists are separated by semicolons, as in Germany, begins a cell after each of them, and a row
 * after a line.
 */
const FORMULA_WITHIN = /([;\r\n][\s"]*)(?=[=+\-@＝＋－＠])/g;

/**
 * A spreadsheet runs a cell that begins like a formula, and some cells hold texts of other people.
 * OWASP's guard against CSV injection is an apostrophe before the text. Amounts below zero stay numbers.
 */
function disarmFormula(text: string): string {
  const within = text.replaceAll(FORMULA_WITHIN, "$1'");
  return FORMULA_START.test(within) && !PLAIN_NUMBER.test(within) ? `'${within}` : within;
}

/** A report as one JSON array with a row on each line. Amounts are texts: JSON numbers lose digits. */
export function jsonFormat(columns: readonly string[]): ReportFormat {
  let before = "[\n";
  return {
    head: "",
    rows: (rows) =>
      rows
        .map((row) => {
          const members = Object.fromEntries(columns.map((name) => [name, row[name] ?? ""]));
          const line = `${before}${JSON.stringify(members)}`;
          before = ",\n";
          return line;
        })
        .join(""),
    get foot() {
      return before === "[\n" ? "[]\n" : "\n]\n";
    },
  };
}
