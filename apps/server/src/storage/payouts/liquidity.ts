import { readBalance } from "../ledger/balances.ts";
import { lookup, type Queryable, statement, type Tx } from "../postgres/database.ts";

/** The most debt that the liquidity accounts of an asset may have, over all merchants. */
export interface LiquidityLimit {
  readonly assetId: number;
  readonly debtUnits: bigint;
  readonly setBy: string;
  readonly setAt: Date;
}

interface LiquidityLimitRow {
  readonly asset_id: number;
  readonly debt_units: string;
  readonly set_by: string;
  readonly set_at: Date;
}

const toLimit = (row: LiquidityLimitRow): LiquidityLimit => ({
  assetId: row.asset_id,
  debtUnits: BigInt(row.debt_units),
  setBy: row.set_by,
  setAt: row.set_at,
});

// The locks are taken in the order of the assets, so that two steps cannot deadlock.
const LOCK = statement(
  "liquidity_limits_lock",
  `select * from liquidity_limits where asset_id = any ($1::integer[]) order by asset_id for update`,
);
const LIST = statement("liquidity_limits_list", "select * from liquidity_limits order by asset_id");
const PUT = statement(
  "liquidity_limits_put",
  `insert into liquidity_limits (asset_id, debt_units, set_by) values ($1, $2, $3)
   on conflict (asset_id) do update set debt_units = excluded.debt_units,
     set_by = excluded.set_by, set_at = business_now()`,
);
const REMOVE = statement(
  "liquidity_limits_remove",
  "delete from liquidity_limits where asset_id = $1 returning asset_id",
);

/** An asset and the units by which the debt in it will grow. */
export interface DebtGrowth {
  readonly liquidity: number;
  readonly adds: bigint;
}

/**
 * Returns the first limit that the growth would exceed. Until the database transaction ends, no other
 * transaction can add to the debt in these assets, because each addition locks the limit as well.
 */
export async function findOverdrawn(
  tx: Tx,
  growths: readonly DebtGrowth[],
): Promise<LiquidityLimit | undefined> {
  const rows = await tx.query<LiquidityLimitRow>(LOCK, [growths.map(({ liquidity }) => liquidity)]);
  for (const limit of rows.map(toLimit)) {
    const adds = growths
      .filter(({ liquidity }) => liquidity === limit.assetId)
      .reduce((sum, growth) => sum + growth.adds, 0n);
    // A separate statement, so that it sees the commits of earlier holders of the lock.
    if ((await readDebt(tx, limit.assetId)) + adds > limit.debtUnits) return limit;
  }
  return undefined;
}

const FIND_BOUNDS = lookup(
  "liquidity_find_bounds",
  ["integer"],
  `select exists (select from liquidity_limits where asset_id = $1) as "hasLimit",
     exists (select from treasury_limits t join currencies c on c.id = t.asset_id
       where t.asset_id = $1 and c.network_code is not null)
     or exists (select from currencies c join live_networks using (network_code) where c.id = $1) as "hasStock"`,
);

/** Whether a limit bounds the debt in an asset, and whether a stock bounds its coins. */
export interface LiquidityBounds {
  readonly hasLimit: boolean;
  readonly hasStock: boolean;
}

export async function findLiquidityBounds(
  queryable: Queryable,
  assetId: number,
): Promise<LiquidityBounds> {
  const [row] = await queryable.query<LiquidityBounds>(FIND_BOUNDS, [assetId]);
  return row ?? { hasLimit: false, hasStock: false };
}

export async function listLiquidityLimits(queryable: Queryable): Promise<LiquidityLimit[]> {
  return (await queryable.query<LiquidityLimitRow>(LIST)).map(toLimit);
}

export async function putLiquidityLimit(
  tx: Tx,
  limit: Pick<LiquidityLimit, "assetId" | "debtUnits" | "setBy">,
): Promise<void> {
  await tx.query(PUT, [limit.assetId, limit.debtUnits, limit.setBy]);
}

/** Locks the limit of an asset until the database transaction ends. Returns undefined without one. */
export async function lockLiquidityLimit(
  tx: Tx,
  assetId: number,
): Promise<LiquidityLimit | undefined> {
  const [row] = await tx.query<LiquidityLimitRow>(LOCK, [[assetId]]);
  return row && toLimit(row);
}

/** Removes a limit. Returns false when there was none. */
export async function removeLiquidityLimit(tx: Tx, assetId: number): Promise<boolean> {
  return (await tx.query(REMOVE, [assetId])).length > 0;
}

/** Returns the debt in an asset: units sold minus units bought. It is below zero when more was bought. */
export const readDebt = (queryable: Queryable, assetId: number): Promise<bigint> =>
  readBalance(queryable, { merchantId: "all", purpose: "liquidity", assetId });

/** The debt that exchanges made in an asset, and its limit. */
export interface LiquidityPosition {
  readonly assetId: number;
  /** Below zero when more was bought than sold. */
  readonly debtUnits: bigint;
  readonly limit: LiquidityLimit | undefined;
}

const LIST_ASSETS = statement(
  "liquidity_list_assets",
  `select asset_id from ledger_accounts where purpose = 'liquidity'
   union select asset_id from liquidity_limits order by asset_id`,
);

/** Lists the positions in every asset that was exchanged or has a limit. */
export async function listPositions(queryable: Queryable): Promise<LiquidityPosition[]> {
  const assets = await queryable.query<{ asset_id: number }>(LIST_ASSETS);
  const limits = await listLiquidityLimits(queryable);
  const positions: LiquidityPosition[] = [];
  for (const { asset_id: assetId } of assets) {
    const limit = limits.find((one) => one.assetId === assetId);
    positions.push({ assetId, debtUnits: await readDebt(queryable, assetId), limit });
  }
  return positions;
}
