import type { TreasuryLimits } from "../../domain/treasury/limits.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { integer, nullable, table, text, units } from "../postgres/table.ts";

const TREASURY_LIMITS = table({
  asset_id: integer(),
  floor_units: nullable(units()),
  low_units: nullable(units()),
  target_units: nullable(units()),
  ceiling_units: nullable(units()),
  set_by: text(),
});

const LIST = statement(
  "treasury_limits_list",
  `select ${TREASURY_LIMITS.names} from treasury_limits order by asset_id`,
);
const LOCK = statement(
  "treasury_limits_lock",
  `select ${TREASURY_LIMITS.names} from treasury_limits where asset_id = $1 for update`,
);
const PUT = statement(
  "treasury_limits_put",
  `insert into treasury_limits (${TREASURY_LIMITS.names}) values ($1, $2, $3, $4, $5, $6)
   on conflict (asset_id) do update set floor_units = excluded.floor_units,
     low_units = excluded.low_units, target_units = excluded.target_units,
     ceiling_units = excluded.ceiling_units, set_by = excluded.set_by, set_at = business_now()`,
);
const REMOVE = statement(
  "treasury_limits_remove",
  "delete from treasury_limits where asset_id = $1",
);

/** The limits of an asset, and the person who set them. */
export interface StoredTreasuryLimits extends TreasuryLimits {
  readonly assetId: number;
  readonly setBy: string;
}

export async function listTreasuryLimits(queryable: Queryable): Promise<StoredTreasuryLimits[]> {
  return (await queryable.query(LIST)).map(TREASURY_LIMITS.read);
}

/** Locks the limits of an asset until the database transaction ends. Returns undefined without any. */
export async function lockTreasuryLimits(
  tx: Tx,
  assetId: number,
): Promise<StoredTreasuryLimits | undefined> {
  const [row] = await tx.query(LOCK, [assetId]);
  return row === undefined ? undefined : TREASURY_LIMITS.read(row);
}

export async function putTreasuryLimits(tx: Tx, limits: StoredTreasuryLimits): Promise<void> {
  const { assetId, floorUnits, lowUnits, targetUnits, ceilingUnits, setBy } = limits;
  await tx.query(PUT, [assetId, floorUnits, lowUnits, targetUnits, ceilingUnits, setBy]);
}

export async function removeTreasuryLimits(tx: Tx, assetId: number): Promise<void> {
  await tx.query(REMOVE, [assetId]);
}
