import { type Queryable, statement } from "../../storage/postgres/database.ts";

// The list holds a transaction once. The chain mines one transaction of each nonce; another one of the same
// nonce waits for ever.
const COLUMNS = `network_code, transaction_hash, intent_id, asset_reference, address, memo, units,
  nonce, fee, reorganised`;
const INSERT = statement(
  "sandbox_chain_broadcast",
  `with mined as (
     insert into sandbox.chain_transactions (${COLUMNS}, mined_at)
     select $1, $2, $3, $4, $5, $6, $7::numeric, $8::numeric, $9::int, $10::boolean, clock_timestamp()
     where $11::boolean
     on conflict do nothing returning 1),
   waiting as (
     insert into sandbox.chain_transactions (${COLUMNS})
     select $1, $2, $3, $4, $5, $6, $7::numeric, $8::numeric, $9::int, $10::boolean
     where not exists (select from mined)
     on conflict do nothing returning 1)
   select from mined union all select from waiting`,
);
const FIND = statement(
  "sandbox_chain_look_up",
  `select t.network_code as "networkCode", t.transaction_hash as "transactionHash",
     extract(epoch from clock_timestamp() - t.broadcast_at)::float8 * 1000 as "ageMs",
     extract(epoch from clock_timestamp() - t.mined_at)::float8 * 1000 as "minedMs",
     t.reorganised,
     t.mined_at is null and exists (select from sandbox.chain_transactions other
       where other.network_code = t.network_code and other.nonce = t.nonce
         and other.mined_at is not null) as "isBeaten"
   from sandbox.chain_transactions t
   where t.network_code = $1 and t.transaction_hash = $2`,
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

export const nameOf = ({ networkCode, transactionHash }: TransactionKey): string =>
  `${networkCode}:${transactionHash}`;

export interface NewTransaction extends TransactionKey {
  readonly intentId: string;
  readonly assetReference: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: string;
  readonly nonce: string;
  readonly fee: number;
  readonly reorganised: boolean;
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
    transaction.mined,
  ]);
  return rows.length > 0;
}

export interface StoredTransaction extends TransactionKey {
  readonly ageMs: number;
  /** Milliseconds since a block included it; null before that. */
  readonly minedMs: number | null;
  readonly reorganised: boolean;
  /** A block holds another transaction of its nonce. */
  readonly isBeaten: boolean;
}

export async function findTransaction(
  queryable: Queryable,
  { networkCode, transactionHash }: TransactionKey,
): Promise<StoredTransaction | undefined> {
  const [row] = await queryable.query<StoredTransaction>(FIND, [networkCode, transactionHash]);
  return row;
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
