import { lookup, type Queryable, statement } from "../../storage/postgres/database.ts";

// The list holds a transaction once. The chain mines one transaction of each nonce; another one of the same
// nonce waits for ever.
const COLUMNS = `network_code, transaction_hash, intent_id, asset_reference, address, memo, units,
  nonce, fee, reorganised, moved_units`;
const INSERT = statement(
  "sandbox_chain_broadcast",
  `with mined as (
     insert into sandbox.chain_transactions (${COLUMNS}, mined_at)
     select $1, $2, $3, $4, $5, $6, $7::numeric, $8::numeric, $9::int, $10::boolean, $11::numeric, clock_timestamp()
     where $12::boolean
     on conflict do nothing returning 1),
   waiting as (
     insert into sandbox.chain_transactions (${COLUMNS})
     select $1, $2, $3, $4, $5, $6, $7::numeric, $8::numeric, $9::int, $10::boolean, $11::numeric
     where not exists (select from mined)
     on conflict do nothing returning 1)
   select from mined union all select from waiting`,
);
// The transactions with the hashes, and the mined one at their place. Each part has its own index: an OR over both would
// read every transaction. The hashes are one text, because a key of a lookup is not a list.
const LIST_OF_PLACE = lookup(
  "sandbox_chain_list_of_place",
  ["text", "text", "numeric"],
  `select transaction_hash as "transactionHash",
     extract(epoch from clock_timestamp() - broadcast_at)::float8 * 1000 as "ageMs",
     extract(epoch from clock_timestamp() - mined_at)::float8 * 1000 as "minedMs",
     reorganised, units::text as units, moved_units::text as "movedUnits"
   from (
     select * from sandbox.chain_transactions where network_code = $1 and transaction_hash = any(string_to_array($2, ' '))
     union
     select * from sandbox.chain_transactions where network_code = $1 and nonce = $3::numeric and mined_at is not null
   ) transactions`,
);
const TAKE_PLACE = statement(
  "sandbox_chain_take_place",
  `insert into sandbox.chain_transactions (network_code, transaction_hash, intent_id, asset_reference, address,
     units, nonce, mined_at)
   values ($1, $2, $2, $3, 'elsewhere', 1, $4::numeric, clock_timestamp()) on conflict do nothing`,
);
const FIND_TRANSFER = statement(
  "sandbox_chain_find_transfer",
  `select network_code as "networkCode", transaction_hash as "transactionHash",
     asset_reference as "assetReference", address, memo, units::text as units,
     mined_at is not null as "isMined"
   from sandbox.chain_transactions where network_code = $1 and transaction_hash = $2`,
);
const MINE_FIRST = statement(
  "sandbox_chain_mine_first",
  `update sandbox.chain_transactions set mined_at = clock_timestamp()
   where network_code = $1 and nonce = $2 and fee = 1 and mined_at is null
     and not exists (select from sandbox.chain_transactions
       where network_code = $1 and nonce = $2 and mined_at is not null)`,
);
const NEXT_NONCE = statement(
  "sandbox_chain_next_nonce",
  `select coalesce(max(nonce) + 1, 0)::text as next from sandbox.chain_transactions
   where network_code = $1`,
);
// A reference keeps its first tag.
const TAG = statement(
  "sandbox_chain_tag",
  `insert into sandbox.destination_tags (network_code, reference) values ($1, $2)
   on conflict (network_code, reference) do update set reference = excluded.reference
   returning tag`,
);

/** The network and hash that identify a transaction. */
export interface TransactionKey {
  readonly networkCode: string;
  readonly transactionHash: string;
}

export interface NewTransaction extends TransactionKey {
  readonly intentId: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: string;
  readonly nonce: string;
  readonly fee: number;
  readonly reorganised: boolean;
  /** The units that it moves when it is mined; null for all of them. */
  readonly movedUnits: string | null;
  /** A block includes it at once, unless a block holds another transaction of its nonce. */
  readonly mined: boolean;
}

/** Inserts a transaction. Returns false when the list holds it already. */
export async function insertTransaction(
  queryable: Queryable,
  transaction: NewTransaction,
): Promise<boolean> {
  const rows = await queryable.query(INSERT, [
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
    transaction.movedUnits,
    transaction.mined,
  ]);
  return rows.length > 0;
}

export interface StoredTransaction {
  readonly transactionHash: string;
  readonly ageMs: number;
  /** Milliseconds since a block included it; null before that. */
  readonly minedMs: number | null;
  readonly reorganised: boolean;
  readonly units: string;
  readonly movedUnits: string | null;
}

/** Lists the transactions with the hashes, and the mined one at their place. */
export const listOfPlace = (
  queryable: Queryable,
  place: {
    readonly networkCode: string;
    readonly hashes: readonly string[];
    readonly nonce: string | null;
  },
): Promise<StoredTransaction[]> =>
  queryable.query(LIST_OF_PLACE, [place.networkCode, place.hashes.join(" "), place.nonce]);

// A payout keeps the first place that was refused.
const REFUSE_PLACE = statement(
  "sandbox_chain_refuse_place",
  `insert into sandbox.refused_places (intent_id, nonce) values ($1, $2::numeric)
   on conflict (intent_id) do update set intent_id = excluded.intent_id
   returning nonce = $2::numeric as "isRefused"`,
);

/** Refuses to sign at the first place of a payout. Returns whether this is that place. */
export async function refusePlace(
  queryable: Queryable,
  { intentId, nonce }: { readonly intentId: string; readonly nonce: string },
): Promise<boolean> {
  const [row] = await queryable.query<{ isRefused: boolean }>(REFUSE_PLACE, [intentId, nonce]);
  return row?.isRefused === true;
}

/** Mines a transaction of somebody else who has our wallet's key. It takes the place of ours. */
export async function takePlace(
  queryable: Queryable,
  taken: TransactionKey & { readonly assetReference: string; readonly nonce: string },
): Promise<void> {
  const { networkCode, transactionHash, assetReference, nonce } = taken;
  await queryable.query(TAKE_PLACE, [networkCode, transactionHash, assetReference, nonce]);
}

/** A transaction as the explorer's page shows it. */
export interface SandboxTransfer extends TransactionKey {
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: string;
  readonly isMined: boolean;
}

export async function findTransfer(
  queryable: Queryable,
  { networkCode, transactionHash }: TransactionKey,
): Promise<SandboxTransfer | undefined> {
  const values = [networkCode, transactionHash];
  return (await queryable.query<SandboxTransfer>(FIND_TRANSFER, values))[0];
}

/** Mines the first transaction of a nonce, unless another one of the nonce was mined. */
export async function mineFirst(
  queryable: Queryable,
  place: { readonly networkCode: string; readonly nonce: string },
): Promise<void> {
  await queryable.query(MINE_FIRST, [place.networkCode, place.nonce]);
}

/** Returns a reference's own tag on a network, always the same. */
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

/** Returns the nonce after the highest one that a network has seen. */
export async function nextNonceOf(queryable: Queryable, networkCode: string): Promise<bigint> {
  const [row] = await queryable.query<{ next: string }>(NEXT_NONCE, [networkCode]);
  return BigInt(row?.next ?? 0);
}
