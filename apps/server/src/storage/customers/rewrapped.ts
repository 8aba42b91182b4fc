import { KEY_OF, type SealedColumn } from "../key-checks.ts";
import {
  type Queryable,
  type Statement,
  statement,
  unnamedStatement,
} from "../postgres/database.ts";
import { bytes, records, table, text } from "../postgres/table.ts";
import { type DataKeyKind, KEY_COLUMNS, keyRecord, type NewDataKey } from "./data-keys.ts";

/** Rows are sealed again in batches of this size, each in a database transaction of its own. */
export const REWRAP_BATCH = 500;

/** The place of a data key. Batches go through the keys in this order. */
export interface DataKeyId {
  readonly merchantId: string;
  readonly kind: DataKeyKind;
  readonly rowKey: string;
}

/** A data key with the digests of its customer, and the data that names the customer. */
export interface StoredDataKey extends DataKeyId, NewDataKey {
  readonly sessionPersonal: Uint8Array | null;
  readonly orderId: string | null;
  readonly orderPersonal: Uint8Array | null;
}

/** A value was sealed in the current format with the current key if it begins like this. */
const isCurrent = (column: string): string =>
  `${KEY_OF(column)} = $1 and get_byte(${column}, 0) = 2`;

const TAKE = statement(
  "rewrap_data_keys_take",
  `select k.merchant_id as "merchantId", k.kind, k.row_key as "rowKey", k.sealed,
     k.reference_digest as "referenceDigest", k.email_digest as "emailDigest",
     s.personal as "sessionPersonal", o.id as "orderId", o.personal as "orderPersonal"
   from data_keys k
     left join sessions s on k.kind = 'session' and s.merchant_id = k.merchant_id and s.session_id = k.row_key
     left join orders o on k.kind = 'session' and o.merchant_id = k.merchant_id and o.session_id = k.row_key
   where (k.merchant_id, k.kind, k.row_key) > ($2, $3, $4) and not (${isCurrent("k.sealed")})
   order by k.merchant_id, k.kind, k.row_key limit ${REWRAP_BATCH}`,
);

/** Returns the next data keys after one that the current secret key does not seal. */
export const takeDataKeys = (
  queryable: Queryable,
  keyId: string,
  after: DataKeyId | undefined,
): Promise<StoredDataKey[]> =>
  queryable.query<StoredDataKey>(TAKE, [
    keyId,
    after?.merchantId ?? "",
    after?.kind ?? "",
    after?.rowKey ?? "",
  ]);

const ROWS = table({
  merchant_id: text(),
  kind: text<DataKeyKind>(),
  row_key: text(),
  before: bytes(),
  ...KEY_COLUMNS.columns,
});

// A key that was destroyed, locked or replaced meanwhile stays as it is.
const STORE = statement(
  "rewrap_data_keys_store",
  `update data_keys k set sealed = wanted.data_key, reference_digest = wanted.reference_digest,
     email_digest = wanted.email_digest
   from ${records("wanted", ROWS.definitions)}
   where k.merchant_id = wanted.merchant_id and k.kind = wanted.kind and k.row_key = wanted.row_key
     and k.sealed = wanted.before`,
);

export interface RewrappedKey {
  readonly stored: StoredDataKey;
  readonly newKey: NewDataKey;
}

/** Stores the keys that are still as they were read. Returns their number. */
export function storeDataKeys(
  queryable: Queryable,
  keys: readonly RewrappedKey[],
): Promise<number> {
  const wanted = keys.map(({ stored, newKey }) => ({
    ...ROWS.write({
      ...stored,
      before: stored.sealed,
      dataKey: null,
      referenceDigest: null,
      emailDigest: null,
    }),
    ...keyRecord(newKey),
  }));
  return queryable.write(STORE, [JSON.stringify({ wanted })]);
}

/** A sealed value in a row with an id. */
export interface SealedValue {
  readonly id: string;
  /** The merchant or the person that the row belongs to. */
  readonly owner: string;
  readonly sealed: Uint8Array;
}

/** Reads and stores the sealed values of one column. */
export interface SealedValues {
  take(queryable: Queryable, keyId: string, after: string): Promise<SealedValue[]>;
  /** Stores a value if the row still has the one that was read. Returns whether it did. */
  store(queryable: Queryable, before: SealedValue, sealed: Uint8Array): Promise<boolean>;
}

export function sealedValuesOf({ table: name, column, owner }: SealedColumn): SealedValues {
  const take: Statement = unnamedStatement(
    `select id, ${owner} as owner, ${column} as sealed from ${name}
     where ${column} is not null and id > $2 and not (${isCurrent(column)})
     order by id limit ${REWRAP_BATCH}`,
  );
  const store = unnamedStatement(
    `update ${name} set ${column} = $2 where id = $1 and ${column} = $3`,
  );
  return {
    take: (queryable, keyId, after) => queryable.query(take, [keyId, after]),
    store: async (queryable, { id, sealed: before }, sealed) =>
      (await queryable.write(store, [id, sealed, before])) > 0,
  };
}
