import { type Queryable, statement } from "../../../storage/database.ts";

// The list has a transaction once. Of those at one nonce the first that may be is mined; another is
// kept as one that waits in vain.
const INSERT = statement(
  "sandbox_chain_broadcast",
  `with mined as (
     insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id,
       asset_reference, address, memo, units, nonce, fee, reorganised, mined_at)
     select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::numeric, $8::numeric,
       $9::integer, $10::boolean, clock_timestamp() where $11::boolean
     on conflict do nothing returning 1),
   waiting as (
     insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id,
       asset_reference, address, memo, units, nonce, fee, reorganised)
     select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::numeric, $8::numeric,
       $9::integer, $10::boolean where not exists (select from mined)
     on conflict do nothing returning 1)
   select exists (select from mined) or exists (select from waiting) as "isNew"`,
);
const FIND = statement(
  "sandbox_chain_look_up",
  `select extract(epoch from clock_timestamp() - t.broadcast_at)::float8 * 1000 as "ageMs",
     extract(epoch from clock_timestamp() - t.mined_at)::float8 * 1000 as "minedMs",
     t.reorganised,
     exists (select from sandbox.chain_transactions other
       where other.network_code = t.network_code and other.nonce = t.nonce
         and other.mined_at is not null) as "isBeaten"
   from sandbox.chain_transactions t where t.network_code = $1 and t.transaction_hash = $2`,
);
const MINE_FIRST = statement(
  "sandbox_chain_mine_first",
  `update sandbox.chain_transactions set mined_at = clock_timestamp()
   where network_code = $1 and nonce = $2 and fee = 1 and mined_at is null
     and not exists (select from sandbox.chain_transactions
       where network_code = $1 and nonce = $2 and mined_at is not null)`,
);
// Drawing a tag again for the same reference gives the first one.
const TAG = statement(
  "sandbox_chain_tag",
  `insert into sandbox.destination_tags (network_code, reference) values ($1, $2)
   on conflict (network_code, reference) do update set reference = excluded.reference
   returning tag`,
);

export interface NewTransaction {
  readonly networkCode: string;
  readonly transactionHash: string;
  readonly intentId: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: string;
  readonly nonce: string;
  readonly fee: number;
  readonly reorganised: boolean;
  /** A block takes it at once, unless another of its nonce is in one. */
  readonly mined: boolean;
}

/** Keeps the transaction; false when it was known already and nothing changed. */
export async function insertTransaction(
  queryable: Queryable,
  transaction: NewTransaction,
): Promise<boolean> {
  const [row] = await queryable.query<{ isNew: boolean }>(INSERT, [
    transaction.networkCode,
    transaction.transactionHash,
    transaction.intentId,
    transaction.assetReference,
    transaction.address,
    transaction.memo,
    transaction.units,
    transaction.nonce,
    transaction.fee,
    transaction.reorganised,
    transaction.mined,
  ]);
  return row?.isNew === true;
}

export interface StoredTransaction {
  readonly ageMs: number;
  /** How long ago a block took it; null while none has. */
  readonly minedMs: number | null;
  readonly reorganised: boolean;
  /** A transaction of the same nonce was mined. */
  readonly isBeaten: boolean;
}

export async function findTransaction(
  queryable: Queryable,
  key: readonly [networkCode: string, hash: string],
): Promise<StoredTransaction | undefined> {
  const [row] = await queryable.query<StoredTransaction>(FIND, key);
  return row;
}

/** Mines the transaction that was first at its nonce, unless another one was. */
export async function mineFirst(
  queryable: Queryable,
  place: { readonly networkCode: string; readonly nonce: string },
): Promise<void> {
  await queryable.query(MINE_FIRST, [place.networkCode, place.nonce]);
}

/** A reference's own tag on a network, the same whenever asked. */
export async function tagOf(
  queryable: Queryable,
  request: { readonly networkCode: string; readonly reference: string },
): Promise<number> {
  const [row] = await queryable.query<{ tag: number }>(TAG, [
    request.networkCode,
    request.reference,
  ]);
  if (!row) throw new Error("the sandbox chain gave no tag");
  return row.tag;
}
