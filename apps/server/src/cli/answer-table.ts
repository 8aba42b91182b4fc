import { fields, GAP, shortened, table, terminalWidth, WHOLE } from "./table.ts";
import { timeWords } from "./times.ts";

const CELL_WIDTH_MAX = 40;

type Item = Readonly<Record<string, unknown>>;

/** Returns the data of an answer as text as wide as the terminal: a table of a list, or one line for each member. */
export function answerTable(answer: unknown): string {
  if (!isItem(answer)) return JSON.stringify(answer, null, 2);
  const data = "data" in answer ? answer["data"] : answer;
  if (Array.isArray(data)) {
    const next = answer["nextCursor"];
    const more =
      typeof next === "string" ? [`More rows follow: repeat with --param cursor=${next}`] : [];
    return [listOf(data, terminalWidth()), ...more].join("\n");
  }
  return isItem(data) ? factsOf(data) : JSON.stringify(data, null, 2);
}

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function listOf(rows: readonly unknown[], width: number): string {
  if (rows.length === 0) return "The list is empty.";
  const items = rows.filter(isItem);
  if (items.length < rows.length) return rows.map((row) => cellOf("", row) ?? "").join("\n");
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const isFlat = (name: string) => items.every((item) => cellOf(name, item[name]) !== undefined);
  const textOf = (item: Item, name: string): string => {
    const cell = cellOf(name, item[name]) ?? "";
    return width === WHOLE ? cell : shortened(cell, CELL_WIDTH_MAX);
  };
  const shown: string[] = [];
  let left = width;
  for (const name of names.filter(isFlat)) {
    const cells = items.map((item) => textOf(item, name).length);
    const needed = Math.max(name.length, ...cells) + GAP;
    if (needed - GAP > left) continue;
    left -= needed;
    shown.push(name);
  }
  const head = shown.map((name) => name.toUpperCase());
  const body = items.map((item) => shown.map((name) => textOf(item, name)));
  const hidden = names.filter((name) => !shown.includes(name));
  const note = hidden.length === 0 ? [] : ["", `Not shown: ${hidden.join(", ")}. Add --json.`];
  return [table([head, ...body], width), ...note].join("\n");
}

function factsOf(item: Item): string {
  const flat: Record<string, string> = {};
  const nested: string[] = [];
  for (const [name, value] of Object.entries(item)) {
    const cell = cellOf(name, value);
    if (cell === undefined) nested.push(`${name}:\n${JSON.stringify(value, null, 2)}`);
    else flat[name] = cell;
  }
  return [fields(flat), ...nested].filter((text) => text !== "").join("\n\n");
}

/** Returns a value on one line; undefined where it has members of its own. Times are Unix seconds in the interface. */
function cellOf(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" && /(At|Until)$/.test(name)) {
    return timeWords(new Date(value * 1_000));
  }
  if (typeof value === "string") return value.replaceAll(/\s+/g, " ");
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) {
    return value.every((one) => typeof one !== "object") ? value.join(", ") : undefined;
  }
  const { amount, currency, ...rest } = value as Item;
  const isAmount = typeof amount === "string" && typeof currency === "string";
  return isAmount && Object.keys(rest).length === 0 ? `${amount} ${currency}` : undefined;
}
