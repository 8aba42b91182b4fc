import { type Decimal, formatDecimal, parseDecimal } from "@exchange/money";

/**
 * A column: its PostgreSQL type and how its value is written and read. A value comes from a row of the driver
 * or from JSON that PostgreSQL built, so `read` accepts both forms.
 */
export interface Column<Value> {
  readonly type: string;
  readonly isNullable?: boolean;
  /**
   * Whether JSON holds the value as text: a JSON number would become a double, and bytes have no JSON form.
   */
  readonly isTextInJson: boolean;
  /** Returns a JSON value that PostgreSQL casts to the column's type. */
  write(value: Value): unknown;
  read(field: unknown): Value;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** A row of these columns, under their names in camel case. */
export type RowOf<Cols> = {
  readonly [Name in keyof Cols & string as Camel<Name>]: Cols[Name] extends Column<infer Value>
    ? Value
    : never;
};

/** The row type of a table or of a part of it. */
export type TableRow<Of> = Of extends Table<infer Cols> ? RowOf<Cols> : never;

/**
 * The only list of a table's columns. The selected columns, the records of a JSON parameter, the JSON of a row
 * and the mapper between rows and objects are derived from it.
 */
export interface Table<Cols> {
  readonly columns: Cols;
  /** The column names, as in `insert into quotes (…)`. */
  readonly names: string;
  /** The names with their types, as in `jsonb_to_recordset(…) as quotes (…)`. */
  readonly definitions: string;
  /** Returns the columns of an alias, as in `select q.id, q.operation`. */
  of(alias: string): string;
  /**
   * Returns a row of an alias as a JSON object. It is null if the first column is null, as in a left join.
   */
  json(alias: string): string;
  /** Returns the table with only these columns. */
  pick<Name extends keyof Cols & string>(...names: readonly Name[]): Table<Pick<Cols, Name>>;
  /** Returns the table without these columns. */
  omit<Name extends keyof Cols & string>(...names: readonly Name[]): Table<Omit<Cols, Name>>;
  /** Maps a row of the driver, or an object that `json` built. */
  read(row: unknown): RowOf<Cols>;
  /** Maps an object to a record for `records`. Members that are not columns are left out. */
  write(row: RowOf<Cols>): Readonly<Record<string, unknown>>;
}

interface Field {
  readonly name: string;
  readonly key: string;
  readonly column: Column<unknown>;
}

const camelOf = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

export function table<Cols extends Columns>(columns: Cols): Table<Cols> {
  const fields: readonly Field[] = Object.entries(columns).map(([name, column]) => ({
    name,
    key: camelOf(name),
    column,
  }));
  const names = fields.map(({ name }) => name);
  return {
    columns,
    names: names.join(", "),
    definitions: fields.map(({ name, column }) => `${name} ${column.type}`).join(", "),
    of: (alias) => names.map((name) => `${alias}.${name}`).join(", "),
    json: (alias) => jsonOf(alias, fields),
    pick: (...picked) => table(part(columns, (name) => includes(picked, name))),
    omit: (...omitted) => table(part(columns, (name) => !includes(omitted, name))),
    read: (row) => readRow(fields, row as Readonly<Record<string, unknown>>) as RowOf<Cols>,
    write: (row) => writeRow(fields, row),
  };
}

const includes = (names: readonly string[], name: string): boolean => names.includes(name);

const part = <Part extends Columns>(columns: Columns, isIn: (name: string) => boolean): Part =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => isIn(name))) as Part;

function jsonOf(alias: string, fields: readonly Field[]): string {
  const members = fields.map(
    ({ name, column }) => `'${name}', ${alias}.${name}${column.isTextInJson ? "::text" : ""}`,
  );
  const [first] = fields;
  return `case when ${alias}.${first?.name} is not null then json_build_object(${members.join(", ")}) end`;
}

function readRow(
  fields: readonly Field[],
  row: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const { name, key, column } of fields) read[key] = column.read(row[name]);
  return read;
}

function writeRow(
  fields: readonly Field[],
  row: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const { name, key, column } of fields) written[name] = column.write(row[key]);
  return written;
}

const asIs = <Value>(type: string): Column<Value> => ({
  type,
  isTextInJson: false,
  write: (value) => value,
  read: (field) => field as Value,
});

/** A text column. The type parameter names the values of a closed set. */
export const text = <Value extends string = string>(): Column<Value> => asIs("text");
export const uuid = (): Column<string> => asIs("uuid");
export const boolean = (): Column<boolean> => asIs("boolean");
/** An integer of at most four bytes. A wider number is a `bigInteger`. */
export const integer = (): Column<number> => asIs("integer");
export const texts = <Value extends string = string>(): Column<readonly Value[]> => asIs("text[]");
export const json = <Value>(): Column<Value> => asIs("jsonb");

const exactInteger = (type: string): Column<bigint> => ({
  type,
  isTextInJson: true,
  write: String,
  read: (field) => BigInt(field as string),
});

export const bigInteger = (): Column<bigint> => exactInteger("bigint");
/** An amount in the smallest units of its asset. */
export const units = (): Column<bigint> => exactInteger("numeric");

/** A number with decimals, such as a rate. */
export const decimal = (): Column<Decimal> => ({
  type: "numeric",
  isTextInJson: true,
  write: formatDecimal,
  read: (field) => {
    const value = parseDecimal(field as string);
    if (!value) throw new Error(`the database returned ${String(field)} for a decimal number`);
    return value;
  },
});

export const timestamp = (): Column<Date> => ({
  type: "timestamptz",
  isTextInJson: false,
  write: (value) => value,
  read: (field) => (field instanceof Date ? field : new Date(field as string)),
});

export const bytes = (): Column<Uint8Array> => ({
  type: "bytea",
  isTextInJson: true,
  write: (value) => `\\x${Buffer.from(value).toString("hex")}`,
  read: (field) =>
    typeof field === "string"
      ? Buffer.from(field.slice("\\x".length), "hex")
      : (field as Uint8Array),
});

/** A column that may be null. */
export const nullable = <Value>(column: Column<Value>): Column<Value | null> => ({
  ...column,
  isNullable: true,
  write: (value) => (value === null ? null : column.write(value)),
  read: (field) => (field === null ? null : column.read(field)),
});

/**
 * Returns a row source of a list's records in a statement's first parameter, which is a JSON object of lists.
 * The definitions are those of a table, of several tables, or of single columns.
 */
export const records = (list: string, definitions: string): string =>
  `jsonb_to_recordset($1::jsonb->'${list}') as ${list} (${definitions})`;
