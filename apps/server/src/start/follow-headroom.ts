import type { ExchangeControls } from "../domain/payouts/controls.ts";
import { repeat } from "../flows/repeat.ts";
import { type Liquidity, readLiquidity } from "../storage/payouts/exchange-controls.ts";
import type { Database } from "../storage/postgres/database.ts";

/**
 * Quotes may exceed the headroom and the stock for this long. Placing an order reads the stock, and the exchange
 * both, in the database.
 */
const REFRESH_MS = 2_000;

/**
 * Keeps the headroom of the liquidity limits and the stock up to date. Every exchange moves a position and does
 * not change the configuration, so both are read every two seconds. Without limits and stock nothing is read.
 */
export function followHeadroom(
  database: Database,
  controls: {
    readonly current: () => ExchangeControls;
    readonly update: (liquidity: Liquidity) => void;
    readonly failed: (error: unknown) => void;
  },
): () => Promise<void> {
  const read = async (): Promise<void> => {
    const before = controls.current();
    if (before.headroom.size === 0 && before.stock.size === 0) return;
    const liquidity = await readLiquidity(database);
    // Controls that were read in the meantime are newer.
    if (controls.current() === before) controls.update(liquidity);
  };
  return repeat({ everyMs: REFRESH_MS, round: read, failed: controls.failed });
}
