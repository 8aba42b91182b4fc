import type { SignerQuestion } from "../payouts/questions.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** The condition for a coin that a new send may spend. Coins from others must be final. Our own change must be in a block. */
const IS_FREE = `coin.network_code = $1 and coin.account = $2 and coin.spent_by is null
  and coin.matures_at <= cursor.height + 1
  and (coin.height <= cursor.final_height or coin.height is not null and exists (
    select from chain_transactions t where t.hash = split_part(coin.outpoint, ':', 1)))`;
/**
 * The condition for a `coin` that no send may spend any more: none took it, or the one that did is dead or was given up. That
 * one has left its coins, which is what `has_left_coins` asks. The stock counts by the same condition (`stock_on_hand`).
 */
export const IS_LEFT = "(coin.send_id is null or has_left_coins(coin.send_id))";
/** The most coins that one transaction spends. The signer has the same limit. */
export const MOST_COINS = 200;
// The largest coins come first, so that few of them pay. The send gets all that it needs or none. A coin that another
// worker has locked is skipped. A raise or a rebalance has the coins that it was bound to, and takes no other.
const TAKE = statement(
  "chain_coins_take",
  `with free as materialized (
     select coin.outpoint, coin.units from chain_coins coin
       join chain_cursors cursor on cursor.network_code = coin.network_code
     where ${IS_FREE} and ${IS_LEFT} order by coin.units desc, coin.outpoint limit ${MOST_COINS}
     for update of coin skip locked),
   summed as (
     select outpoint, row_number() over chosen as number, sum(units) over chosen as total
     from free window chosen as (order by units desc, outpoint)),
   enough as (select min(number) as number from summed
     where total >= $4::numeric + number * $5::numeric
       and not exists (select from chain_sends where id = $3 and purpose in ('raise', 'rebalance')))
   update chain_coins coin set send_id = $3 from summed, enough
   where coin.network_code = $1 and coin.outpoint = summed.outpoint and summed.number <= enough.number`,
);
/** A recursive part: the transactions that descend from each winner by spending coins of ours. */
const DESCENDANTS = `descendants (winner, hash) as (
     select winner, winner from unnest($3::text[]) as winner
     union
     select descendants.winner, coin.spent_by
     from descendants join chain_coins coin on split_part(coin.outpoint, ':', 1) = descendants.hash
     where coin.network_code = $1 and coin.spent_by is not null)`;
// A winner is a final transaction of ours that made an earlier send of the payout impossible. For each winner the payout
// takes a coin that descends from it. So each old transaction and the new one exclude each other, which the signer sees
// in its own log.
const TAKE_AGAIN = statement(
  "chain_coins_take_again",
  `with recursive ${DESCENDANTS},
   free as materialized (
     select coin.outpoint, coin.units, array(
       select winner from descendants where hash = split_part(coin.outpoint, ':', 1)) as winners
     from chain_coins coin join chain_cursors cursor on cursor.network_code = coin.network_code
     where ${IS_FREE} and (${IS_LEFT} or pays_again($4, coin.send_id))
     order by split_part(coin.outpoint, ':', 1) in (select hash from descendants) desc, coin.units desc, coin.outpoint
     limit ${MOST_COINS}
     for update of coin skip locked),
   proof as (
     select distinct on (winner) winner, outpoint from free, unnest(winners) as winner
     order by winner, units desc, outpoint),
   summed as (
     select outpoint, row_number() over chosen as number, sum(units) over chosen as total
     from (select outpoint, units, outpoint in (select outpoint from proof) as proves from free) ranked
     window chosen as (order by proves desc, units desc, outpoint)),
   enough as (select min(number) as number from summed
     where total >= $5::numeric + number * $6::numeric
       and number >= (select count(distinct outpoint) from proof)
       and (select count(*) from proof) = cardinality($3::text[]))
   update chain_coins coin set send_id = $4 from summed, enough
   where coin.network_code = $1 and coin.outpoint = summed.outpoint and summed.number <= enough.number`,
);
// A coin counts until the block that spends it is final. From then on the coins of its spender count.
const FIND_WINNER_WITHOUT_COINS = statement(
  "chain_coins_find_winner_without_coins",
  `with recursive ${DESCENDANTS}
   select winner from unnest($3::text[]) as winner where not exists (
     select from descendants
       join chain_coins coin on split_part(coin.outpoint, ':', 1) = descendants.hash
       join chain_cursors cursor on cursor.network_code = coin.network_code
     where descendants.winner = winner.winner and coin.network_code = $1 and coin.account = $2
       and (coin.spent_height is null or coin.spent_height > cursor.final_height))
   limit 1`,
);
// The final transactions of ours that made the earlier sends of these payouts impossible.
const LIST_WINNERS = statement(
  "chain_coins_list_winners",
  `select distinct lost.dead_by as hash
   from chain_send_outputs again
     join chain_send_outputs before on before.intent_id = again.intent_id and before.is_vacated
     join chain_sends lost on lost.id = before.send_id and is_lost_send(lost.id)
   where again.send_id = $1`,
);
const LOCK_SEND = statement(
  "chain_coins_lock_send",
  "select from chain_sends where id = $1 and state = 'bound' for update",
);
const FREE_UNITS = statement(
  "chain_coins_free_units",
  `select coalesce(sum(units), 0)::text as units from (
     select coin.units from chain_coins coin
       join chain_cursors cursor on cursor.network_code = coin.network_code
     where ${IS_FREE} and ${IS_LEFT} order by coin.units desc limit ${MOST_COINS}) free`,
);
const VACATE = statement(
  "chain_coins_vacate_send",
  `update chain_sends send set state = 'vacated', updated_at = business_now()
   where id = $1 and asked_by = $2 and purpose in ('raise', 'rebalance') and state = 'bound'
     and not exists (select from chain_transactions t where t.send_id = send.id)`,
);
const FREE = statement(
  "chain_coins_free",
  "update chain_coins set send_id = null where send_id = $1",
);

/** The hot wallet whose coins are spent. */
export interface CoinWalletKey {
  readonly networkCode: string;
  /** The fingerprint of the wallet's account. */
  readonly account: string;
}

/** Locks the send, so that no other worker takes coins for it before the database transaction ends. */
export async function lockSend(tx: Tx, sendId: string): Promise<void> {
  await tx.query(LOCK_SEND, [sendId]);
}

/**
 * Takes coins for the send: together at least `units`, and `unitsForEach` for each coin. Takes none where the wallet has
 * too few. Returns their number.
 */
export async function takeCoins(
  tx: Tx,
  wallet: CoinWalletKey,
  wanted: { readonly sendId: string; readonly units: bigint; readonly unitsForEach: bigint },
): Promise<number> {
  const { sendId, units: least, unitsForEach } = wanted;
  const { networkCode, account } = wallet;
  const values = [networkCode, account, sendId, least, unitsForEach];
  const winners = await listWinners(tx, sendId);
  if (winners.length === 0) return tx.write(TAKE, values);
  return tx.write(TAKE_AGAIN, [networkCode, account, winners, sendId, least, unitsForEach]);
}

const listWinners = async (queryable: Queryable, sendId: string): Promise<string[]> =>
  (await queryable.query<{ hash: string }>(LIST_WINNERS, [sendId])).map(({ hash }) => hash);

/** Returns a winner over the send's payouts from which no coin descends any more, so the send would wait for ever. */
export async function findWinnerWithoutCoins(
  queryable: Queryable,
  { networkCode, account }: CoinWalletKey,
  sendId: string,
): Promise<string | undefined> {
  const winners = await listWinners(queryable, sendId);
  if (winners.length === 0) return undefined;
  const [found] = await queryable.query<{ winner: string }>(FIND_WINNER_WITHOUT_COINS, [
    networkCode,
    account,
    winners,
  ]);
  return found?.winner;
}

/** Returns the units that one send could spend now. */
export async function readFreeUnits(
  queryable: Queryable,
  { networkCode, account }: CoinWalletKey,
): Promise<bigint> {
  const [row] = await queryable.query<{ units: string }>(FREE_UNITS, [networkCode, account]);
  return BigInt(row?.units ?? 0);
}

/**
 * Ends a raise or a rebalance whose last question the signer surely refused, and frees its coins. Its terms stay, which say
 * when it was tried.
 */
export async function giveUpCoins(tx: Tx, { sendId, id }: SignerQuestion): Promise<void> {
  if ((await tx.write(VACATE, [sendId, id])) > 0) await tx.write(FREE, [sendId]);
}
