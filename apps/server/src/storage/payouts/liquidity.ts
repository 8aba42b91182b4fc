import { readBalance } from "../ledger/balances.ts";
import { sharedBatcher } from "../postgres/batches.ts";
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

/** Any fixed number: with an asset's id it names the lock of its position. */
const LIQUIDITY_LOCK = 7_265_391;

const LOCK = statement("liquidity_lock", `select pg_advisory_xact_lock(${LIQUIDITY_LOCK}, $1)`);
const FIND = statement(
  "liquidity_limits_find",
  "select * from liquidity_limits where asset_id = $1",
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

/** Keeps everybody else from adding to an asset's debt until the database transaction ends. */
export async function lockLiquidity(tx: Tx, assetId: number): Promise<void> {
  await tx.query(LOCK, [assetId]);
}

export async function findLiquidityLimit(
  queryable: Queryable,
  assetId: number,
): Promise<LiquidityLimit | undefined> {
  const [row] = await queryable.query<LiquidityLimitRow>(FIND, [assetId]);
  return row && toLimit(row);
}

const AMONG = statement(
  "liquidity_limits_among",
  "select asset_id from liquidity_limits where asset_id = any($1::integer[])",
);

async function areLimited(queryable: Queryable, assetIds: readonly number[]): Promise<boolean[]> {
  const rows = await queryable.query<{ asset_id: number }>(AMONG, [[...new Set(assetIds)]]);
  const limited = new Set(rows.map((row) => row.asset_id));
  return assetIds.map((assetId) => limited.has(assetId));
}

const isLimitedShared = sharedBatcher<Queryable, number, boolean>((queryable) => ({
  run: (assetIds) => areLimited(queryable, assetIds),
  batchesInFlightMax: 2,
  itemsMax: 256,
}));

/** Whether the asset has a limit. Those who ask at the same time share a statement. */
export const hasLiquidityLimit = (queryable: Queryable, assetId: number): Promise<boolean> =>
  isLimitedShared(queryable, assetId);

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

/** What we gave of an asset beyond what we took for it; below zero when we took more. */
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
