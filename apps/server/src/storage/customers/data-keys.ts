import { type Queryable, statement } from "../postgres/database.ts";
import { bytes, nullable, table } from "../postgres/table.ts";

/** The kinds of rows that have a data key. An order uses the key of its session. */
export type DataKeyKind = "session" | "wallet";

/** A data key to store, with the digests by which its customer is found. */
export interface NewDataKey {
  readonly sealed: Uint8Array;
  readonly referenceDigest: Uint8Array | null;
  readonly emailDigest: Uint8Array | null;
}

/** The members of a record that carries a data key. They are null where the record has none. */
export const KEY_COLUMNS = table({
  data_key: nullable(bytes()),
  reference_digest: nullable(bytes()),
  email_digest: nullable(bytes()),
});

/** Writes the members of a record for `KEY_COLUMNS`. */
export const keyRecord = (key: NewDataKey | undefined): Readonly<Record<string, unknown>> =>
  KEY_COLUMNS.write({
    dataKey: key?.sealed ?? null,
    referenceDigest: key?.referenceDigest ?? null,
    emailDigest: key?.emailDigest ?? null,
  });

/**
 * Selects the sealed data key of a row, in the statement that reads the row. It is null after the key was
 * destroyed, and while it is locked for the law.
 */
export const dataKeyOf = (kind: DataKeyKind, merchantId: string, rowKey: string): string =>
  `(select k.sealed from data_keys k where k.merchant_id = ${merchantId} and k.kind = '${kind}'
     and k.row_key = ${rowKey} and k.locked_at is null)`;

const FIND_LOCKED = statement(
  "data_keys_find_locked",
  `select sealed from data_keys
   where merchant_id = $1 and kind = 'session' and row_key = $2 and locked_at is not null`,
);

/** Returns the key of a session that is locked for the law; null when there is none. */
export async function findLockedKey(
  queryable: Queryable,
  { merchantId, sessionId }: { readonly merchantId: string; readonly sessionId: string },
): Promise<Uint8Array | null> {
  const values = [merchantId, sessionId];
  const [row] = await queryable.query<{ sealed: Buffer }>(FIND_LOCKED, values);
  return row?.sealed ?? null;
}

/**
 * Returns an insert of the keys of a row source with the columns `merchant_id`, `row_key` and `KEY_COLUMNS`.
 * A row's newer key replaces the older one: it is written with the data that it seals.
 */
export const storeKeys = (kind: DataKeyKind, source: string): string =>
  `insert into data_keys (merchant_id, kind, row_key, sealed, reference_digest, email_digest)
   select merchant_id, '${kind}', row_key, data_key, reference_digest, email_digest
   from ${source} where data_key is not null
   on conflict (merchant_id, kind, row_key) do update set sealed = excluded.sealed,
     reference_digest = excluded.reference_digest, email_digest = excluded.email_digest,
     created_at = excluded.created_at`;
