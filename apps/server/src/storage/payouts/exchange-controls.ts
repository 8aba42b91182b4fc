import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import type { Queryable } from "../postgres/database.ts";
import { listLiquidityLimits, readDebt } from "./liquidity.ts";
import { listStops } from "./stops.ts";

/** Reads what keeps new business out into memory. */
export async function readExchangeControls(queryable: Queryable): Promise<ExchangeControls> {
  const [stops, headroom] = await Promise.all([listStops(queryable), readHeadroom(queryable)]);
  return { stops, headroom };
}

/** How much more of each limited asset may be given; below zero when a limit was set late. */
export async function readHeadroom(queryable: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const headroom = new Map<number, bigint>();
  for (const { assetId, debtUnits } of await listLiquidityLimits(queryable)) {
    headroom.set(assetId, debtUnits - (await readDebt(queryable, assetId)));
  }
  return headroom;
}
