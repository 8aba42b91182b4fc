import type { Outgoing } from "@exchange/contract";
import { EXPORT_ROWS_MAX } from "@exchange/contract/admin";
import { Refusal } from "../../flows/refusal.ts";
import { csvFormat } from "../report-format.ts";
import type { Download } from "./registrar.ts";

type Cell = string | Outgoing<number> | null;

/** The text of each column of a list's file, in the order of the columns. */
export type ExportColumns<Item> = Readonly<Record<string, (item: Item) => Cell>>;

const PAGE_ROWS = 500;

interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * Returns a list as CSV: the rows of the list's own handler, page after page. The whole file is made before its first
 * byte is sent. A list that fails or is too long is then an error and not a short file.
 */
export async function exportList<Item>(
  name: string,
  columns: ExportColumns<Item>,
  readPage: (pages: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<ListPage<Item>>,
): Promise<Download> {
  const format = csvFormat(Object.keys(columns));
  const parts = [format.head];
  let rows = 0;
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await readPage({ limit: PAGE_ROWS, ...(cursor && { cursor }) });
    rows += data.length;
    if (rows > EXPORT_ROWS_MAX) throw tooLong();
    parts.push(format.rows(data.map((item) => rowOf(columns, item))));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { name: `${name}.csv`, type: "text/csv", parts: [...parts, format.foot] };
}

const rowOf = <Item>(columns: ExportColumns<Item>, item: Item): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(columns).map(([column, textOf]) => [column, cellText(textOf(item))]),
  );

function cellText(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? cell.text : String(cell);
}

const tooLong = (): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The list has more than ${EXPORT_ROWS_MAX} rows, which is the most that one file has. Filter it, for example by a span of days.`,
  });

/** Returns a time as reports write it. */
export function timeText(unixSeconds: Outgoing<number>): string {
  return `${new Date(Number(cellText(unixSeconds)) * 1_000).toISOString().slice(0, 19)}Z`;
}
