import {
  type Advice,
  adviceOf,
  type FloatLevel,
  floatOf,
  NO_TREASURY_LIMITS,
  type StockPosition,
  type TreasuryLimits,
} from "../../domain/treasury/limits.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { listTreasuryLimits } from "../../storage/treasury/limits.ts";
import { listStocks, readNetOutflows } from "../../storage/treasury/stock.ts";

/** An asset with a bounded stock. */
export interface TreasuryAsset {
  readonly assetId: number;
  readonly position: StockPosition;
  /** Coins of the hot wallet that its issuer froze, beside those on hand. Null where it froze nothing. */
  readonly frozen: bigint | null;
  readonly limits: TreasuryLimits;
  readonly float: FloatLevel;
  readonly advice: Advice;
}

/** Returns whether a refill helps: the float is low, and its issuer did not freeze the account. */
export const isLow = ({ float, frozen }: Pick<TreasuryAsset, "float" | "frozen">): boolean =>
  frozen === null && (float === "below_floor" || float === "low");

const FLOW_DAYS = 7;

/** Lists the assets with a bounded stock, with a suggestion for each. */
export async function readTreasury(database: Database): Promise<TreasuryAsset[]> {
  const stocks = await listStocks(database);
  const ids = stocks.map(({ assetId }) => assetId);
  const stored = await listTreasuryLimits(database);
  const outflows = await readNetOutflows(database, ids, FLOW_DAYS);
  return stocks.map(({ assetId, frozen, ...coins }) => {
    const limits = stored.find((one) => one.assetId === assetId) ?? NO_TREASURY_LIMITS;
    const outPerDay = (outflows.get(assetId) ?? 0n) / BigInt(FLOW_DAYS);
    const position = { ...coins, outPerDay };
    return {
      assetId,
      position,
      frozen,
      limits,
      float: floatOf(position, limits),
      // A frozen account cannot receive a refill.
      advice: frozen === null ? adviceOf(position, limits) : { kind: "nothing" },
    };
  });
}
