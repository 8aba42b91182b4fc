import { type Queryable, statement, unnamedStatement } from "./postgres/database.ts";

/** The check values of the secret keys that the installation has used. */
export interface KeyChecks {
  readonly valueOf: ReadonlyMap<string, string>;
  /** Whether this role of the database keeps the list. */
  readonly mayWrite: boolean;
}

const READ = statement(
  "key_checks_read",
  `select coalesce(json_object_agg(key_id, encode(value, 'hex')), '{}') as by_id,
     has_table_privilege('key_checks', 'insert') as may_write
   from key_checks`,
);
const ADD = statement(
  "key_checks_add",
  "insert into key_checks (key_id, value) values ($1, decode($2, 'hex')) on conflict do nothing",
);
const REMOVE = statement("key_checks_remove", "delete from key_checks where key_id = $1");

/** A sealed value names its key: a byte of format, a byte of length, the id. */
export const KEY_OF = (column: string): string =>
  `convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'SQL_ASCII')`;

/** A column that the secret keys seal, with the column of the merchant or the person that a row belongs to. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly owner: string;
}

/** Values that are kept for years. Those of idempotency keys and of provider callbacks end by themselves. */
export const SEALED_VALUES = [
  { table: "webhook_endpoints", column: "secret_sealed", owner: "merchant_id" },
  { table: "webhook_endpoints", column: "previous_secret_sealed", owner: "merchant_id" },
  { table: "people", column: "totp_sealed", owner: "id" },
  { table: "invitations", column: "totp_sealed", owner: "person_id" },
  { table: "invitation_mails", column: "link_sealed", owner: "id" },
] as const satisfies readonly SealedColumn[];
const SEALED = [{ table: "data_keys", column: "sealed" }, ...SEALED_VALUES];

const MAY_READ = statement(
  "key_checks_may_read",
  "select name from unnest($1::text[]) name where has_table_privilege(name, 'select')",
);

/** The API's role may not read the tables of people. They are counted by the others. */
const readableColumns = async (queryable: Queryable) => {
  const names = SEALED.map(({ table }) => table);
  const rows = await queryable.query<{ readonly name: string }>(MAY_READ, [names]);
  const readable = new Set(rows.map(({ name }) => name));
  return SEALED.filter(({ table }) => readable.has(table));
};

export async function readKeyChecks(queryable: Queryable): Promise<KeyChecks> {
  const [row] = await queryable.query<{ by_id: Record<string, string>; may_write: boolean }>(READ);
  return {
    valueOf: new Map(Object.entries(row?.by_id ?? {})),
    mayWrite: row?.may_write === true,
  };
}

export async function addKeyCheck(queryable: Queryable, id: string, value: string): Promise<void> {
  await queryable.write(ADD, [id, value]);
}

/** Returns whether the list had the key. */
export async function removeKeyCheck(queryable: Queryable, id: string): Promise<boolean> {
  return (await queryable.write(REMOVE, [id])) > 0;
}

/** The number of values in one column that one key seals. */
export interface SealedCount {
  readonly table: string;
  readonly column: string;
  readonly keyId: string;
  /** Values of the first format were sealed with a key that all environments shared. */
  readonly isOldFormat: boolean;
  readonly count: number;
}

/** Counts the sealed values by key. It reads all of them. */
export async function countSealed(queryable: Queryable): Promise<SealedCount[]> {
  const counts = (await readableColumns(queryable)).map(
    ({ table, column }) =>
      `select '${table}' as table, '${column}' as column, ${KEY_OF(column)} as "keyId",
         get_byte(${column}, 0) = 1 as "isOldFormat", count(*)::int as count
       from ${table} where ${column} is not null group by 3, 4`,
  );
  return queryable.query<SealedCount>(unnamedStatement(counts.join(" union all ")));
}

/** Counts the values that a key seals. */
export async function countSealedBy(queryable: Queryable, id: string): Promise<number> {
  const counts = await countSealed(queryable);
  return counts.reduce((sum, { keyId, count }) => sum + (keyId === id ? count : 0), 0);
}
