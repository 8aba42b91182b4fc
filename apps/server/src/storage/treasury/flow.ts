import { type Queryable, statement } from "../postgres/database.ts";

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

/** Returns what payouts took beyond what customers paid in, over the last days, by asset id. */
export async function readOutflows(
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
