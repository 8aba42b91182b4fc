import { type Queryable, statement } from "../../storage/postgres/database.ts";

// The list has a transaction once. Of those at one nonce the first that may be is mined; another is
// kept as one that waits in vain.
// Many at once: what comes at the same time shares a statement and a commit.
const COLUMNS = `network_code, transaction_hash, intent_id, asset_reference, address, memo, units,
  nonce, fee, reorganised`;
const INSERT = statement(
  "sandbox_chain_broadcast",
  `with given as materialized (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::numeric[], $8::numeric[], $9::integer[], $10::boolean[], $11::boolean[])
       as given (${COLUMNS}, mined)),
   mined as (
     insert into sandbox.chain_transactions (${COLUMNS}, mined_at)
     select ${COLUMNS}, clock_timestamp() from given where mined
     on conflict do nothing returning network_code, transaction_hash),
   waiting as (
     insert into sandbox.chain_transactions (${COLUMNS})
     select ${COLUMNS} from given
     where (network_code, transaction_hash) not in (select * from mined)
     on conflict do nothing returning network_code, transaction_hash)
   select network_code as "networkCode", transaction_hash as "transactionHash"
   from (select * from mined union all select * from waiting) as added`,
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
   from unnest($1::text[], $2::text[]) as asked (network_code, transaction_hash)
     join sandbox.chain_transactions t on t.network_code = asked.network_code
       and t.transaction_hash = asked.transaction_hash`,
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

/** A chain's own name of a transaction. */
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
  /** A block takes it at once, unless another of its nonce is in one. */
  readonly mined: boolean;
}

/** Keeps transactions of different nonces; tells of each whether it is new, or nothing changed. */
export async function insertTransactions(
  queryable: Queryable,
  transactions: readonly NewTransaction[],
): Promise<boolean[]> {
  const rows = await queryable.query<TransactionKey>(INSERT, [
    transactions.map(({ networkCode }) => networkCode),
    transactions.map(({ transactionHash }) => transactionHash),
    transactions.map(({ intentId }) => intentId),
    transactions.map(({ assetReference }) => assetReference),
    transactions.map(({ address }) => address),
    transactions.map(({ memo }) => memo),
    transactions.map(({ units }) => units),
    transactions.map(({ nonce }) => nonce),
    transactions.map(({ fee }) => fee),
    transactions.map(({ reorganised }) => reorganised),
    transactions.map(({ mined }) => mined),
  ]);
  const added = new Set(rows.map(nameOf));
  return transactions.map((transaction) => added.has(nameOf(transaction)));
}

export interface StoredTransaction extends TransactionKey {
  readonly ageMs: number;
  /** How long ago a block took it; null while none has. */
  readonly minedMs: number | null;
  readonly reorganised: boolean;
  /** Another transaction of its nonce was mined. */
  readonly isBeaten: boolean;
}

/** The transactions in the order of the keys; undefined for one that is not known. */
export async function findTransactions(
  queryable: Queryable,
  keys: readonly TransactionKey[],
): Promise<(StoredTransaction | undefined)[]> {
  const rows = await queryable.query<StoredTransaction>(FIND, [
    keys.map(({ networkCode }) => networkCode),
    keys.map(({ transactionHash }) => transactionHash),
  ]);
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return keys.map((key) => byName.get(nameOf(key)));
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
