import type { ApiKey } from "../../domain/ports/merchant-directory.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** A key as it is shown to the operator. */
export interface ApiKeyRecord extends Omit<ApiKey, "digest"> {
  /** The end that its creator chose. A key that was replaced ends sooner. */
  readonly chosenExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** Up to a minute late. Null before the first use. */
  readonly lastUsedAt: Date | null;
  /** The address of the last use. */
  readonly lastAddress: string | null;
}

interface ApiKeyRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly digest: Buffer;
  readonly scopes: string[];
  readonly expires_at: Date | null;
  readonly chosen_expires_at: Date | null;
  readonly networks: string[] | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly last_address: string | null;
}

const KEY = "id, merchant_id, digest, scopes, expires_at, networks::text[] as networks";
const COLUMNS = `${KEY}, chosen_expires_at, created_at, revoked_at`;

// The key takes a free slot. The unique index refuses a third key even if two callers race.
const INSERT = statement(
  "api_keys_insert",
  `insert into api_keys (id, merchant_id, digest, scopes, expires_at, chosen_expires_at, networks, slot)
   select $1, $2, $3, $4, $5, $5, $6::text[]::cidr[], slot from (values (1), (2)) as slots (slot)
   where not exists (
     select from api_keys where merchant_id = $2 and revoked_at is null and api_keys.slot = slots.slot)
   order by slot limit 1
   returning ${COLUMNS}, null as last_used_at, null as last_address`,
);
const REVOKE = statement(
  "api_keys_revoke",
  `update api_keys set revoked_at = business_now()
   where merchant_id = $1 and id = $2 and revoked_at is null
   returning ${COLUMNS}, null as last_used_at, null as last_address`,
);
const END = statement(
  "api_keys_end",
  `update api_keys
   set expires_at = least(expires_at, clock_timestamp() + $3::bigint * interval '1 second')
   where merchant_id = $1 and id = $2 and revoked_at is null
   returning ${COLUMNS}, null as last_used_at, null as last_address`,
);
// The end of a key is by the real clock.
const RETIRE = statement(
  "api_keys_retire_expired",
  `update api_keys set revoked_at = business_now()
   where merchant_id = $1 and revoked_at is null and expires_at <= clock_timestamp()`,
);
const LIST = statement(
  "api_keys_list",
  `select ${COLUMNS}, use.last_used_at, use.address as last_address
   from api_keys left join lateral (
     select last_used_at, address from api_key_addresses where key_id = api_keys.id
     order by last_used_at desc limit 1) use on true
   where merchant_id = $1 order by created_at, id`,
);
const LIST_ACTIVE = statement(
  "api_keys_list_active",
  `select ${KEY} from api_keys where revoked_at is null`,
);

/** Returns undefined when the merchant already has two active keys. The caller locks the merchant first. */
export async function insertApiKey(
  queryable: Queryable,
  key: ApiKey,
): Promise<ApiKeyRecord | undefined> {
  const { id, merchantId, digest, scopes, expiresAt, networks } = key;
  const values = [id, merchantId, Buffer.from(digest), scopes, expiresAt, networks];
  const [row] = await queryable.query<ApiKeyRow>(INSERT, values);
  return row && toRecord(row);
}

/** Revokes a key and returns it. Undefined when there is no such active key. */
export async function revokeApiKey(
  queryable: Queryable,
  key: Pick<ApiKey, "merchantId" | "id">,
): Promise<ApiKeyRecord | undefined> {
  const [row] = await queryable.query<ApiKeyRow>(REVOKE, [key.merchantId, key.id]);
  return row && toRecord(row);
}

/** Ends a key after some seconds, unless it ends sooner. */
export async function endApiKey(
  tx: Tx,
  { merchantId, id }: Pick<ApiKey, "merchantId" | "id">,
  seconds: number,
): Promise<ApiKeyRecord | undefined> {
  const [row] = await tx.query<ApiKeyRow>(END, [merchantId, id, seconds]);
  return row && toRecord(row);
}

/** Revokes a merchant's expired keys. They open nothing, and would take the place of another key. */
export async function retireExpiredKeys(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(RETIRE, [merchantId]);
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
  return rows.map((row) => ({
    id: row.id,
    merchantId: row.merchant_id,
    digest: row.digest,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    networks: row.networks,
  }));
}

const toRecord = (row: ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  merchantId: row.merchant_id,
  scopes: row.scopes,
  expiresAt: row.expires_at,
  chosenExpiresAt: row.chosen_expires_at,
  networks: row.networks,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  lastAddress: row.last_address,
});
