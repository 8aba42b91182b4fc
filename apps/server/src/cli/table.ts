import { styleText } from "node:util";

/** Returns columns for a terminal. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Returns columns under their heads, or a sentence instead of them when there is no row. */
export const listing = (
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string => (rows.length === 0 ? empty : table([heads, ...rows]));

/** Returns one line for each name with its value. */
export const fields = (values: Readonly<Record<string, string>>): string =>
  table(Object.entries(values).map(([name, value]) => [`${name}:`, value]));

/** The states that a terminal shows in colour where they fill a cell or begin a line. */
const COLOUR_OF: Readonly<Record<string, "red" | "yellow" | "green">> = {
  BAD: "red",
  failed: "red",
  in_review: "yellow",
  refund_pending: "yellow",
  disabled: "yellow",
  ok: "green",
  completed: "green",
  active: "green",
};
const STATE = new RegExp(`(?<=^|  )(${Object.keys(COLOUR_OF).join("|")})(?= |$)`, "gm");

/** Colours the states in the text of a command, where standard output is a terminal and NO_COLOR is not set. */
export const withColours = (text: string): string =>
  text.replaceAll(STATE, (word) => styleText(COLOUR_OF[word] ?? "green", word));
