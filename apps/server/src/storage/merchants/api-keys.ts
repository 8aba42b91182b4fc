import type { ApiKey } from "../../domain/ports/merchant-directory.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** A key as it is shown to the operator. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

interface ApiKeyRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly digest: Buffer;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

const COLUMNS = "id, merchant_id, digest, created_at, revoked_at";

// The key takes a free slot. The unique index refuses a third key even if two callers race.
const INSERT = statement(
  "api_keys_insert",
  `insert into api_keys (id, merchant_id, digest, slot)
   select $1, $2, $3, slot from (values (1), (2)) as slots (slot)
   where not exists (
     select from api_keys where merchant_id = $2 and revoked_at is null and api_keys.slot = slots.slot)
   order by slot limit 1
   returning ${COLUMNS}`,
);
const REVOKE = statement(
  "api_keys_revoke",
  `update api_keys set revoked_at = business_now()
   where merchant_id = $1 and id = $2 and revoked_at is null returning id`,
);
const LIST = statement(
  "api_keys_list",
  `select ${COLUMNS} from api_keys where merchant_id = $1 order by created_at, id`,
);
const LIST_ACTIVE = statement(
  "api_keys_list_active",
  `select ${COLUMNS} from api_keys where revoked_at is null`,
);

/** Returns undefined when the merchant already has two active keys. The caller locks the merchant first. */
export async function insertApiKey(
  queryable: Queryable,
  key: ApiKey,
): Promise<ApiKeyRecord | undefined> {
  const values = [key.id, key.merchantId, Buffer.from(key.digest)];
  const [row] = await queryable.query<ApiKeyRow>(INSERT, values);
  return row && toRecord(row);
}

/** Revokes a key. Returns false when there is no such active key. */
export async function revokeApiKey(
  queryable: Queryable,
  key: Pick<ApiKey, "merchantId" | "id">,
): Promise<boolean> {
  return (await queryable.query(REVOKE, [key.merchantId, key.id])).length === 1;
}

/** Lists a merchant's keys with the revoked ones, oldest first. */
export async function listApiKeys(
  queryable: Queryable,
  merchantId: string,
): Promise<ApiKeyRecord[]> {
  return (await queryable.query<ApiKeyRow>(LIST, [merchantId])).map(toRecord);
}

export async function listActiveApiKeys(queryable: Queryable): Promise<ApiKey[]> {
  const rows = await queryable.query<ApiKeyRow>(LIST_ACTIVE);
  return rows.map((row) => ({ id: row.id, merchantId: row.merchant_id, digest: row.digest }));
}

const toRecord = (row: ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  merchantId: row.merchant_id,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});
