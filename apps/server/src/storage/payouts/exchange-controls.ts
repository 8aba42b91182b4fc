import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import type { Queryable } from "../postgres/database.ts";
import { readRoom } from "../treasury/stock.ts";
import { listLiquidityLimits, readDebt } from "./liquidity.ts";
import { listStops } from "./stops.ts";

/** The figures that exchanges and payouts move. They change without the configuration. */
export type Liquidity = Pick<ExchangeControls, "headroom" | "stock">;

/** Reads everything that can keep new orders out into memory. */
export async function readExchangeControls(queryable: Queryable): Promise<ExchangeControls> {
  const [stops, liquidity] = await Promise.all([listStops(queryable), readLiquidity(queryable)]);
  return { stops, ...liquidity };
}

/** Reads the headroom of the liquidity limits, and the stock that is left. */
export async function readLiquidity(queryable: Queryable): Promise<Liquidity> {
  const [headroom, stock] = await Promise.all([readHeadroom(queryable), readRoom(queryable)]);
  return { headroom, stock };
}

/**
 * Returns how much more of each limited asset may be sold. It is below zero when the debt exceeds a new
 * limit.
 */
async function readHeadroom(queryable: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const headroom = new Map<number, bigint>();
  for (const { assetId, debtUnits } of await listLiquidityLimits(queryable)) {
    headroom.set(assetId, debtUnits - (await readDebt(queryable, assetId)));
  }
  return headroom;
}
