import type { ConsolidationRules } from "../../domain/ports/coin-sender.ts";
import { IS_RESTORED } from "../history.ts";
import { isRailStopped } from "../payouts/network-stops.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

// A wallet whose consolidation the signer refused, or that a foreign transaction ended, waits for an hour.
const WALLET = `select wallet.id from chain_wallets wallet
   where wallet.network_code = $1 and wallet.address = $2 and wallet.role = 'hot' and wallet.state = 'open'
     and wallet.kind = 'coins' and not ${IS_RESTORED} and not ${isRailStopped("$1")}
     and not exists (select from chain_sends send where send.wallet_id = wallet.id and send.purpose = 'rebalance'
       and (send.state in ('bound', 'signed', 'sent')
         or send.state in ('vacated', 'dead') and send.updated_at > business_now() - interval '1 hour'))`;
// Final coins that no send has. A send for which the signer may have signed keeps its coins.
const IS_FREE = `coin.network_code = $1 and coin.account = $3 and coin.spent_by is null and coin.send_id is null
     and coin.height <= cursor.final_height and coin.matures_at <= cursor.height + 1`;
const MAY_BEGIN = statement(
  "consolidations_may_begin",
  `select from (${WALLET}) wallet where $4::integer < (
     select count(*) from chain_coins coin join chain_cursors cursor on cursor.network_code = coin.network_code
     where ${IS_FREE})`,
);
const LOCK_STOCK = statement(
  "consolidations_lock_stock",
  "select lock_stock(array(select id from currencies where network_code = $1 and contract_address is null))",
);
// Takes the smallest coins, and at most half of all. These are not stock until a block has the new coin, so the other
// coins must cover the promises, the floor and the warning level. A coin that a payout takes in the meantime is
// skipped.
const BIND = statement(
  "consolidations_bind",
  `with asset as materialized (
     select id from currencies where network_code = $1 and contract_address is null),
   spare as materialized (
     select stock_on_hand(id) - stock_promised(id, null) - coalesce((
       select greatest(floor_units, low_units) from treasury_limits where asset_id = asset.id), 0) as units
     from asset),
   ranked as (
     select coin.outpoint, row_number() over chosen as number, sum(coin.units) over chosen as total,
       count(*) over () as count
     from chain_coins coin join chain_cursors cursor on cursor.network_code = coin.network_code
     where ${IS_FREE} and coin.units > $6::numeric
     window chosen as (order by coin.units, coin.outpoint)),
   taken as materialized (
     select coin.outpoint
     from ranked join spare on ranked.total <= spare.units
       join chain_coins coin on coin.network_code = $1 and coin.outpoint = ranked.outpoint
     where ranked.count > $4::integer and ranked.number <= least($5::integer, ranked.count / 2)
       and coin.send_id is null and coin.spent_by is null
     for update of coin skip locked),
   send as (
     insert into chain_sends (id, wallet_id, purpose)
     select $8::uuid, wallet.id, 'rebalance' from (${WALLET}) wallet
     where (select count(*) from taken) >= $7::integer
     returning id)
   update chain_coins coin set send_id = send.id from taken, send
   where coin.network_code = $1 and coin.outpoint = taken.outpoint`,
);

/** A hot wallet of coins, and the fingerprint of its account. */
export interface ConsolidatedWallet {
  readonly networkCode: string;
  readonly address: string;
  readonly account: string;
}

const valuesOf = ({ networkCode, address, account }: ConsolidatedWallet) => [
  networkCode,
  address,
  account,
];

/** Returns whether the wallet has too many coins and nothing prevents a consolidation now. */
export const mayConsolidate = async (
  queryable: Queryable,
  wallet: ConsolidatedWallet,
  { aboveCoins }: Pick<ConsolidationRules, "aboveCoins">,
): Promise<boolean> =>
  (await queryable.query(MAY_BEGIN, [...valuesOf(wallet), aboveCoins])).length > 0;

/** Coins that are to become one. */
export interface NewConsolidation extends Pick<ConsolidationRules, "aboveCoins" | "coinsAtOnce"> {
  readonly sendId: string;
  /** The fee of spending one coin. A coin that is not worth more than this stays. */
  readonly unitsForEach: bigint;
  /** Fewer coins are not worth a transaction. */
  readonly coinsMin: number;
}

/** Binds a consolidation to the wallet's smallest coins. Returns their number, which is 0 where nothing was bound. */
export async function bindConsolidation(
  tx: Tx,
  wallet: ConsolidatedWallet,
  { sendId, aboveCoins, coinsAtOnce, coinsMin, unitsForEach }: NewConsolidation,
): Promise<number> {
  await tx.query(LOCK_STOCK, [wallet.networkCode]);
  // A separate statement, so that it sees the commits of earlier holders of the lock.
  return tx.write(BIND, [
    ...valuesOf(wallet),
    aboveCoins,
    coinsAtOnce,
    unitsForEach,
    coinsMin,
    sendId,
  ]);
}
