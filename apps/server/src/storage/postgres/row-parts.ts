/** The fields of a row, as PostgreSQL prints them. */
export type Fields = readonly (string | null)[];

/** The columns of one table among those of a row. */
export interface RowPart<Row> {
  /** As they are selected, among others, in one `row(…)::text`. */
  readonly columns: string;
  readonly width: number;
  readonly kinds: Readonly<Record<string, keyof typeof KINDS>>;
  /** The part that begins at the place; undefined when its first column is null: there is no such row. */
  read(fields: Fields, from: number): Row | undefined;
}

/** From seconds with microseconds; a double holds those of the next two centuries exactly. */
export const momentOf = (seconds: number): Date =>
  new Date(Math.floor(Math.round(seconds * 1_000_000) / 1_000));

/** What becomes of a field. Exact numbers stay text. */
const KINDS = {
  text: (field: string) => field,
  number: Number,
  moment: (field: string) => momentOf(Number(field)),
  json: (field: string): unknown => JSON.parse(field),
  bytes: (field: string) => Buffer.from(field.slice("\\x".length), "hex"),
};

interface Column {
  readonly name: string;
  readonly sql: string;
  readonly kind: keyof typeof KINDS;
}

/**
 * `names` are the table's own columns, the first never null, `others` come from elsewhere. What is no
 * text says what it is, as in `version:number`.
 */
export function partOf<Row>(
  alias: string,
  names: string,
  others: Readonly<Record<string, string>> = {},
): RowPart<Row> {
  const own = names.split(/\s+/).map((name) => [name, `${alias}.${name.split(":")[0]}`] as const);
  const columns = [...own, ...Object.entries(others)].map(([name, sql]) => columnOf(name, sql));
  const keys = columns.map(({ name }) => name);
  const convert = columns.map(({ kind }) => KINDS[kind]);
  const empty = Object.fromEntries(keys.map((key) => [key, null]));
  return {
    columns: columns.map(({ sql }) => sql).join(", "),
    width: keys.length,
    kinds: Object.fromEntries(columns.map(({ name, kind }) => [name, kind])),
    read(fields, from) {
      if (fields[from] === null) return undefined;
      const row: Record<string, unknown> = { ...empty };
      for (let index = 0; index < keys.length; index++) {
        const field = fields[from + index] as string | null;
        if (field !== null) row[keys[index] as string] = convert[index]?.(field);
      }
      return row as Row;
    },
  };
}

function columnOf(text: string, sql: string): Column {
  const [name = "", kind = "text"] = text.split(":");
  if (!Object.hasOwn(KINDS, kind)) throw new Error(`a column cannot be ${kind}`);
  // Seconds since 1970 are printed and read in a tenth of the time of a date.
  const isMoment = kind === "moment";
  return {
    name,
    sql: isMoment ? `date_part('epoch', ${sql})` : sql,
    kind: kind as Column["kind"],
  };
}

const QUOTE = 0x22;

/**
 * The fields of a row that was printed as one text (PostgreSQL, "Composite Type Input and Output
 * Syntax"): a hundred fields that come one by one take four times as long. Nothing between two commas
 * is null; what is quoted has its quotes and backslashes twice.
 */
export function readFields(text: string): Fields {
  const end = text.length - 1;
  const fields: (string | null)[] = [];
  for (let from = 1; from <= end; ) {
    if (text.charCodeAt(from) === QUOTE) {
      const to = closingQuote(text, from + 1);
      fields.push(unescaped(text.slice(from + 1, to)));
      from = to + 2;
    } else {
      const comma = text.indexOf(",", from);
      const to = comma < 0 ? end : comma;
      fields.push(to === from ? null : text.slice(from, to));
      from = to + 1;
    }
  }
  return fields;
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

// Each run of quotes or of backslashes is even, so pairs are found from its beginning.
const unescaped = (text: string): string => {
  const plain = text.includes('"') ? text.replaceAll('""', '"') : text;
  return plain.includes("\\") ? plain.replaceAll("\\\\", "\\") : plain;
};
