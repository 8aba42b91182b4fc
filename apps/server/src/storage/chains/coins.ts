import type { WalletCoin } from "../../domain/ports/chain-gateway.ts";
import type {
  CoinSpend,
  ReadCoin,
  ReadCoins,
  WatchedCoin,
} from "../../domain/ports/chain-reader.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, integer, records, table, text, units } from "../postgres/table.ts";
import { IS_LEFT } from "./take-coins.ts";

const COINS = table({
  outpoint: text(),
  account: text(),
  branch: integer(),
  key_index: integer(),
  units: units(),
  height: bigInteger(),
  matures_at: bigInteger(),
});
const SPENDS = table({ outpoint: text(), spent_by: text(), spent_height: bigInteger() });

// A coin of a dropped block is back when another block has its transaction.
const UPSERT = statement(
  "chain_coins_upsert",
  `insert into chain_coins (network_code, ${COINS.names})
   select $2, ${COINS.names} from ${records("coins", COINS.definitions)}
   on conflict (network_code, outpoint) do update set height = excluded.height,
     matures_at = excluded.matures_at`,
);
const SPEND = statement(
  "chain_coins_spend",
  `update chain_coins coin set spent_by = spend.spent_by, spent_height = spend.spent_height
   from ${records("spend", SPENDS.definitions)}
   where coin.network_code = $2 and coin.outpoint = spend.outpoint`,
);
const TAKE_BACK = statement(
  "chain_coins_take_back",
  `update chain_coins set height = case when height > $2 then null else height end,
     spent_by = case when spent_height > $2 then null else spent_by end,
     spent_height = case when spent_height > $2 then null else spent_height end
   where network_code = $1 and (height > $2 or spent_height > $2)`,
);
// A deposit is named by its outpoint. A movement records that it left its address.
const UNSPENT = statement(
  "chain_coins_unspent",
  `select outpoint, units::text as units, null as address from chain_coins
   where network_code = $1 and (spent_by is null or spent_height > $2)
   union all
   select deposit.outpoint, deposit.units::text, deposit.address
   from (select substr(m.id, length($1) + 2) as outpoint, m.units, m.address
       from chain_movements m join chain_addresses a using (network_code, address)
       where m.network_code = $1 and m.state <> 'orphaned' and (m.state = 'seen' or a.has_coins)) deposit
   where not exists (
     select from chain_wallet_movements gone
     where gone.network_code = $1 and gone.address = deposit.address and gone.state <> 'orphaned'
       and gone.height <= $2 and gone.id like '%:in:' || deposit.outpoint || ':%')`,
);
// A coin never comes to be when its own transaction is dead, or when another version of it is final.
const OF_SEND = statement(
  "chain_coins_of_send",
  `select coin.outpoint, coin.units::text as units, coin.branch, coin.key_index as index,
     coin.height is not null as "isInBlock",
     coin.spent_by as "spentBy", coin.spent_height::text as "spentHeight", lost.by as "lostBy",
     exists (select from chain_transactions own where own.hash = lost.by) as "isLostToOurs"
   from chain_coins coin
     left join chain_transactions t on coin.height is null and t.hash = split_part(coin.outpoint, ':', 1)
     left join chain_sends parent on parent.id = t.send_id
     left join lateral (select case when parent.state = 'dead' then parent.dead_by
       when parent.settled_hash <> t.hash then parent.settled_hash end as by) lost on true
   where coin.send_id = $1 order by coin.units desc, coin.outpoint`,
);
// A coin of the transaction that a send of ours is to spend.
const IS_BUILT_ON = statement(
  "chain_coins_is_built_on",
  `select from chain_coins coin
   where coin.network_code = $1 and split_part(coin.outpoint, ':', 1) = $2
     and not ${IS_LEFT} limit 1`,
);
const SPENT_BY = statement(
  "chain_coins_spent_by",
  `select spent_by as "spentBy", max(spent_height)::text as "spentHeight" from chain_coins
   where network_code = $1 and spent_by = any($2::text[]) group by spent_by`,
);
const PAYMENTS = statement(
  "chain_coins_payments",
  `select counterparty as address, (-units)::text as units from chain_wallet_movements
   where network_code = $1 and transaction_hash = $2 and units < 0 and source = 'value'
     and counterparty is not null and state <> 'orphaned'`,
);

/** Records the coins that blocks made, and those that they spent. */
export async function storeCoins(
  tx: Tx,
  networkCode: string,
  { account, made, spent }: ReadCoins,
): Promise<void> {
  if (made.length > 0) {
    const coins = made.map((coin: ReadCoin) => COINS.write({ ...coin, account }));
    await tx.write(UPSERT, [JSON.stringify({ coins }), networkCode]);
  }
  if (spent.length === 0) return;
  const spend = spent.map(({ outpoint, transactionHash, height }: CoinSpend) =>
    SPENDS.write({ outpoint, spentBy: transactionHash, spentHeight: height }),
  );
  await tx.write(SPEND, [JSON.stringify({ spend }), networkCode]);
}

/** Takes back what blocks above the height made and spent. */
export async function takeBackCoins(tx: Tx, networkCode: string, height: bigint): Promise<void> {
  await tx.write(TAKE_BACK, [networkCode, height]);
}

/** Lists the coins of ours that no block up to the height spends, those of deposits too. */
export async function listUnspentCoins(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<readonly WatchedCoin[]> {
  const rows = await queryable.query<Omit<WatchedCoin, "units"> & { readonly units: string }>(
    UNSPENT,
    [networkCode, height],
  );
  return rows.map(({ units: amount, ...coin }) => ({ ...coin, units: BigInt(amount) }));
}

/** Returns whether another send of ours is to spend a coin that the transaction makes. */
export async function isBuiltOn(
  queryable: Queryable,
  networkCode: string,
  transactionHash: string,
): Promise<boolean> {
  return (await queryable.query(IS_BUILT_ON, [networkCode, transactionHash])).length > 0;
}

/** A coin of a send, and the transaction in a block that spends it. */
export interface TakenCoin extends WalletCoin {
  readonly isInBlock: boolean;
  readonly spent: SpentIn | null;
  /** The transaction that made the coin's own one impossible, and whether it is ours. */
  readonly lostBy: string | null;
  readonly isLostToOurs: boolean;
}

export interface SpentIn {
  readonly by: string;
  readonly height: bigint;
}

export async function listCoinsOf(
  queryable: Queryable,
  sendId: string,
): Promise<readonly TakenCoin[]> {
  type Row = Omit<WalletCoin, "units"> & {
    readonly units: string;
    readonly spentBy: string | null;
    readonly spentHeight: string | null;
  } & Pick<TakenCoin, "isInBlock" | "lostBy" | "isLostToOurs">;
  const rows = await queryable.query<Row>(OF_SEND, [sendId]);
  return rows.map(({ units: amount, spentBy, spentHeight, ...coin }) => ({
    ...coin,
    units: BigInt(amount),
    spent:
      spentBy === null || spentHeight === null
        ? null
        : { by: spentBy, height: BigInt(spentHeight) },
  }));
}

/** Returns those of the transactions that are in a block, by the coins that they spend. */
export async function findSpenders(
  queryable: Queryable,
  networkCode: string,
  hashes: readonly string[],
): Promise<readonly SpentIn[]> {
  const rows = await queryable.query<{ spentBy: string; spentHeight: string }>(SPENT_BY, [
    networkCode,
    hashes,
  ]);
  return rows.map(({ spentBy, spentHeight }) => ({ by: spentBy, height: BigInt(spentHeight) }));
}

/** A payment of a transaction whose coins are all ours. */
export interface CoinPayment {
  readonly address: string;
  readonly units: bigint;
}

/** Lists what a transaction in a block paid from the hot wallet, without its change and its fee. */
export async function listPayments(
  queryable: Queryable,
  networkCode: string,
  transactionHash: string,
): Promise<readonly CoinPayment[]> {
  const rows = await queryable.query<Omit<CoinPayment, "units"> & { readonly units: string }>(
    PAYMENTS,
    [networkCode, transactionHash],
  );
  return rows.map(({ address, units: amount }) => ({ address, units: BigInt(amount) }));
}
