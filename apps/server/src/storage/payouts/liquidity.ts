import { readBalance } from "../ledger/balances.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** How far the liquidity accounts of an asset may go into debt, all merchants' together. */
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

// The locks are taken in the order of the assets, so that two steps cannot wait for each other.
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

/** An asset, and by how many units our debt in it is to grow. */
export interface DebtGrowth {
  readonly liquidity: number;
  readonly adds: bigint;
}

/**
 * Returns the first asset in which the growth would take our debt beyond its limit. Until the database
 * transaction ends nobody else adds to the debt in any of them: each addition locks the limit as well.
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
    // A statement of its own: it sees what those who held the lock before have committed.
    if ((await readDebt(tx, limit.assetId)) + adds > limit.debtUnits) return limit;
  }
  return undefined;
}

const HAS = statement("liquidity_limits_has", "select from liquidity_limits where asset_id = $1");

/** Whether the asset has a limit. */
export async function hasLiquidityLimit(queryable: Queryable, assetId: number): Promise<boolean> {
  return (await queryable.query(HAS, [assetId])).length > 0;
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

/** False when there was none. */
export async function removeLiquidityLimit(tx: Tx, assetId: number): Promise<boolean> {
  return (await tx.query(REMOVE, [assetId])).length > 0;
}

/** Our debt in an asset: given less taken, so below zero when we took more. */
export const readDebt = (queryable: Queryable, assetId: number): Promise<bigint> =>
  readBalance(queryable, { merchantId: "all", purpose: "liquidity", assetId });

/** Our own position in an asset. */
export interface Position {
  readonly assetId: number;
  /** Below zero when we took more than we gave. */
  readonly debtUnits: bigint;
  readonly limit: LiquidityLimit | undefined;
}

const LIST_ASSETS = statement(
  "liquidity_list_assets",
  `select asset_id from ledger_accounts where purpose = 'liquidity'
   union select asset_id from liquidity_limits order by asset_id`,
);

/** Every asset that was exchanged or has a limit. */
export async function listPositions(queryable: Queryable): Promise<Position[]> {
  const assets = await queryable.query<{ asset_id: number }>(LIST_ASSETS);
  const limits = await listLiquidityLimits(queryable);
  const positions: Position[] = [];
  for (const { asset_id: assetId } of assets) {
    const limit = limits.find((one) => one.assetId === assetId);
    positions.push({ assetId, debtUnits: await readDebt(queryable, assetId), limit });
  }
  return positions;
}
