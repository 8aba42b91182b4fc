import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const LOCK = statement("stock_lock", "select lock_stock($1::integer[])");
// The coins of a send are not on hand until a block has its change. A send whose coins a block spends has its change there,
// and the coins of one that was given up are on hand.
const CHANGE_UNDER_WAY = `(
  select coalesce(sum(coalesce(taken.units, 0) - (select coalesce(sum(output.units), 0)
    from chain_send_outputs output where output.send_id = taken.send_id and not output.is_vacated)), 0)
  from (
    select coin.send_id, sum(coin.units) filter (where coin.height is not null) as units
    from currencies currency
      join chain_coins coin on coin.network_code = currency.network_code and coin.spent_by is null
      join chain_sends send on send.id = coin.send_id and send.state in ('bound', 'signed', 'sent')
        and not has_left_coins(send.id)
      join chain_wallets wallet on wallet.id = send.wallet_id and wallet.role = 'hot' and wallet.state = 'open'
    where currency.id = $1 and not exists (
      select from chain_coins spent where spent.send_id = send.id and spent.spent_by is not null)
    group by coin.send_id) taken)`;
const IS_SHORT = statement(
  "stock_is_short",
  `select stock_on_hand($1) + ${CHANGE_UNDER_WAY} - stock_promised($1, $2) < $3::numeric as short`,
);
const STOCKED = `select currency.id as asset_id from currencies currency
   join live_networks using (network_code)
   union select asset_id from treasury_limits`;
const ROOM = statement(
  "stock_room",
  `select asset_id as "assetId", (stock_on_hand(asset_id) - stock_promised(asset_id, null)
     - coalesce((select floor_units from treasury_limits l where l.asset_id = stocked.asset_id), 0))::text as units
   from (${STOCKED}) stocked where stock_on_hand(asset_id) is not null`,
);
const LIST = statement(
  "stock_list",
  `select asset_id as "assetId", stock_on_hand(asset_id)::text as "onHand",
     stock_promised(asset_id, null)::text as promised,
     (select balance.units::text from wallet_balances balance join chain_wallets wallet on wallet.id = balance.wallet_id
      where balance.asset_id = stocked.asset_id and balance.is_frozen and wallet.role = 'hot'
        and wallet.state = 'open') as frozen
   from (${STOCKED}) stocked where stock_on_hand(asset_id) is not null order by asset_id`,
);
const OUTFLOWS = statement(
  "treasury_outflows",
  `select asset_id as "assetId", (sum(units))::text as units
   from (
     select asset_id, units from payout_intents
     where asset_id = any($1::integer[]) and rail = 'chain' and state <> 'void'
       and released_at >= business_now() - $2 * interval '1 day'
     union all
     select asset_id, -units from deposits
     where asset_id = any($1::integer[]) and rail = 'chain' and state = 'final'
       and updated_at >= business_now() - $2 * interval '1 day') moved
   group by asset_id`,
);
const FORGET_LIVE = statement(
  "live_networks_forget",
  "delete from live_networks where network_code <> all($1::text[])",
);
const NAME_LIVE = statement(
  "live_networks_name",
  "insert into live_networks (network_code) select unnest($1::text[]) on conflict do nothing",
);

/** Coins that are about to be committed to an order. */
export interface StockNeed {
  readonly assetId: number;
  readonly units: bigint;
  /** Its own claim does not count against it. */
  readonly orderId: bigint;
}

/**
 * Returns whether the coins that nothing else was promised do not cover the need. Until the database transaction
 * ends, no other transaction can promise coins of the asset. Change of our own sends that no block has yet covers a
 * paid order. Its coin was there when the order was placed, and its payout waits for a block. A frozen stock covers
 * no need. An order that is paid meanwhile goes to review, and a person releases it after the thaw.
 */
export async function isShort(tx: Tx, { assetId, units, orderId }: StockNeed): Promise<boolean> {
  await tx.query(LOCK, [[assetId]]);
  // A separate statement, so that it sees the commits of earlier holders of the lock.
  const [row] = await tx.query<{ short: boolean | null }>(IS_SHORT, [assetId, orderId, units]);
  return row?.short ?? false;
}

/** Returns the coins that may be promised of each asset with a bounded stock, by asset id. It may be below zero. */
export async function readRoom(queryable: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const rows = await queryable.query<{ assetId: number; units: string }>(ROOM);
  return new Map(rows.map(({ assetId, units }) => [assetId, BigInt(units)]));
}

/** The coins of an asset, and the part of them that was promised. */
export interface Stock {
  readonly assetId: number;
  readonly onHand: bigint;
  readonly promised: bigint;
  /** Coins of the hot wallet that its issuer froze. They are not on hand. Null where it froze nothing. */
  readonly frozen: bigint | null;
}

/** Lists the assets with a bounded stock. */
export async function listStocks(queryable: Queryable): Promise<Stock[]> {
  const rows = await queryable.query<{
    assetId: number;
    onHand: string;
    promised: string;
    frozen: string | null;
  }>(LIST);
  return rows.map(({ assetId, onHand, promised, frozen }) => ({
    assetId,
    onHand: BigInt(onHand),
    promised: BigInt(promised),
    frozen: frozen === null ? null : BigInt(frozen),
  }));
}

/** Returns the units that payouts took beyond those that customers paid in, over the last days, by asset id. */
export async function readNetOutflows(
  queryable: Queryable,
  assetIds: readonly number[],
  days: number,
): Promise<ReadonlyMap<number, bigint>> {
  const rows = await queryable.query<{ assetId: number; units: string }>(OUTFLOWS, [
    assetIds,
    days,
  ]);
  return new Map(rows.map(({ assetId, units }) => [assetId, BigInt(units)]));
}

/** Records which networks are live. Any other network has a bounded stock only if a limit is set. */
export async function nameLiveNetworks(tx: Tx, codes: readonly string[]): Promise<void> {
  await tx.write(FORGET_LIVE, [codes]);
  await tx.write(NAME_LIVE, [codes]);
}
