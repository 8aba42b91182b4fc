import { type Queryable, statement } from "../postgres/database.ts";

/** An API key and the address that it was used from. */
export interface KeyUse {
  readonly keyId: string;
  readonly address: string;
}

/** Addresses that are stored for a key. The one that was used longest ago makes room for another. */
const ADDRESSES_MAX = 100;

// The rows are sorted, so that two processes cannot deadlock. A row that this statement inserted has no
// earlier transaction in xmax.
const RECORD = statement(
  "api_key_addresses_record",
  `insert into api_key_addresses as used (key_id, address)
   select id, address from unnest($1::text[], $2::text[]::inet[]) as u (key_id, address)
     join api_keys on id = key_id
   order by id, address
   on conflict (key_id, address) do update set last_used_at = clock_timestamp()
   returning key_id as "keyId", address, (xmax = 0) as "isNew"`,
);
const CLEAR = statement(
  "api_key_addresses_clear",
  `delete from api_key_addresses where (key_id, address) in (
     select key_id, address from (
       select key_id, address,
         row_number() over (partition by key_id order by last_used_at desc, address) as place
       from api_key_addresses where key_id = any($1)) ranked
     where place > $2)`,
);

/** Records uses of keys, each key and address once. Returns the uses from addresses that are new. */
export async function recordKeyUses(
  queryable: Queryable,
  uses: readonly KeyUse[],
): Promise<KeyUse[]> {
  const keyIds = uses.map(({ keyId }) => keyId);
  const rows = await queryable.query<KeyUse & { isNew: boolean }>(RECORD, [
    keyIds,
    uses.map(({ address }) => address),
  ]);
  const fresh = rows.filter(({ isNew }) => isNew);
  if (fresh.length > 0) await queryable.write(CLEAR, [keyIds, ADDRESSES_MAX]);
  return fresh.map(({ keyId, address }) => ({ keyId, address }));
}
