/** One row of a statement that gives its rows as arrays. */
export type Cells = readonly unknown[];

/** The columns of one table among those of a row. */
export interface RowPart<Row> {
  /** As they are selected; moments as seconds since 1970, which are read in a tenth of the time. */
  readonly columns: string;
  readonly width: number;
  /** The part that begins at the place; undefined when its first column is null: there is no such row. */
  read(cells: Cells, from: number): Row | undefined;
}

/** `names` are the table's own columns, the first never null; `others` come from elsewhere. */
export function partOf<Row>(
  alias: string,
  names: string,
  others: Partial<Readonly<Record<keyof Row & string, string>>> = {},
): RowPart<Row> {
  const own = names.split(/\s+/).map((name): [string, string] => [name, `${alias}.${name}`]);
  const columns = [...own, ...Object.entries<string | undefined>(others)];
  const keys = columns.map(([name]) => name);
  const empty = Object.fromEntries(keys.map((key) => [key, null]));
  const moments = keys.map(isMoment);
  return {
    columns: columns
      .map(([name, sql]) => (isMoment(name) ? `date_part('epoch', ${sql})` : sql))
      .join(", "),
    width: keys.length,
    read(cells, from) {
      if (cells[from] === null) return undefined;
      const row: Record<string, unknown> = { ...empty };
      for (let index = 0; index < keys.length; index++) {
        const cell = cells[from + index];
        row[keys[index] as string] =
          moments[index] && cell !== null ? momentOf(cell as number) : cell;
      }
      return row as Row;
    },
  };
}

const isMoment = (name: string): boolean => name.endsWith("_at");

/** From seconds with microseconds; a double holds those of the next two centuries exactly. */
export const momentOf = (seconds: number): Date =>
  new Date(Math.floor(Math.round(seconds * 1_000_000) / 1_000));
