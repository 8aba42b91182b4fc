import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import type { Queryable } from "../postgres/database.ts";
import { listLiquidityLimits, readDebt } from "./liquidity.ts";
import { listStops } from "./stops.ts";

/** Reads the stops and the headroom, which can keep new orders out, into memory. */
export async function readExchangeControls(queryable: Queryable): Promise<ExchangeControls> {
  const [stops, headroom] = await Promise.all([listStops(queryable), readHeadroom(queryable)]);
  return { stops, headroom };
}

/**
 * Returns how much more of each limited asset may be sold. It is below zero when the debt exceeds a new
 * limit.
 */
export async function readHeadroom(queryable: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const headroom = new Map<number, bigint>();
  for (const { assetId, debtUnits } of await listLiquidityLimits(queryable)) {
    headroom.set(assetId, debtUnits - (await readDebt(queryable, assetId)));
  }
  return headroom;
}
