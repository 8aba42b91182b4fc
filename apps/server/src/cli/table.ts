import { styleText } from "node:util";

type Rows = readonly (readonly string[])[];

/** The spaces between columns. */
export const GAP = 2;
/** The least width of a shortened cell. */
const WIDTH_MIN = 12;

/** A table of this width is not shortened. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** Returns the width of the terminal; unlimited for a file or a pipe. */
export const terminalWidth = (): number => process.stdout.columns ?? WHOLE;

/**
 * Returns columns. The first row is the head. On a terminal the rows fit its width: the widest texts are shortened
 * first, then long ids and addresses in their middle. The first column names the row and stays whole, and so do amounts,
 * numbers and times. A row that is still too long is left to the terminal.
 */
export function table(all: Rows, width = terminalWidth()): string {
  const rows = width === WHOLE ? all : fitted(all, width);
  const widths = (rows[0] ?? []).map((_, column) => widthOf(rows, column));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(" ".repeat(GAP))
        .trimEnd(),
    )
    .join("\n");
}

const widthOf = (rows: Rows, column: number): number =>
  Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));

/** Returns whether people read the cell as words, and do not copy it. */
const isText = (cell: string): boolean => /[^\p{N}] /u.test(cell) && !TIME_OR_AMOUNT.test(cell);
const TIME_OR_AMOUNT = /^(-?[\d.,]+ \S+|\d{4}-\d\d-\d\d .*)$/;
/**
 * Returns whether the two ends of the cell identify it, as with a hash. A number is never cut, because a part of it is
 * another number.
 */
const isToken = (cell: string): boolean => !cell.includes(" ") && /\p{L}/u.test(cell);

function fitted(rows: Rows, width: number): Rows {
  const heads = rows[0] ?? [];
  const widths = heads.map((_, column) => widthOf(rows, column));
  /** Narrows the widest columns until the rows fit. No column becomes narrower than its least width. */
  const narrow = (isShortened: (cell: string) => boolean): void => {
    const least = heads.map((head, column) => {
      const cells = rows.slice(1).map((row) => row[column] ?? "");
      const whole = column === 0 ? cells : cells.filter((cell) => !isShortened(cell));
      const lengths = [...whole.map(({ length }) => length), head.length, WIDTH_MIN];
      return Math.min(widths[column] ?? 0, Math.max(...lengths));
    });
    const total = () => widths.reduce((sum, one) => sum + one + GAP, -GAP);
    while (total() > width) {
      const room = widths.map((one, column) => (one > (least[column] ?? 0) ? one : 0));
      const widest = Math.max(...room);
      if (widest === 0) return;
      widths[room.indexOf(widest)] = widest - 1;
    }
  };
  narrow(isText);
  narrow((cell) => isText(cell) || isToken(cell));
  return rows.map((row) => row.map((cell, column) => shortened(cell, widths[column] ?? 0)));
}

const GRAPHEMES = new Intl.Segmenter();

/** Returns the text in at most that width: words without their end, an id or an address without its middle. */
export function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const graphemes = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  const fitting = (from: readonly string[], room: number): readonly string[] => {
    let left = room;
    const end = from.findIndex((grapheme) => (left -= grapheme.length) < 0);
    return from.slice(0, end);
  };
  const end = isToken(text) ? Math.floor((width - 1) / 2) : 0;
  const begin = fitting(graphemes, width - 1 - end).join("");
  return `${begin.trimEnd()}…${fitting(graphemes.toReversed(), end).toReversed().join("")}`;
}

/** Returns columns under their heads, or a sentence instead of them when there is no row. */
export const listing = (
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string => (rows.length === 0 ? empty : table([heads, ...rows]));

/** Returns one line for each name with its whole value, which people copy. */
export const fields = (values: Readonly<Record<string, string>>): string =>
  table(
    Object.entries(values).map(([name, value]) => [`${name}:`, value]),
    WHOLE,
  );

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
