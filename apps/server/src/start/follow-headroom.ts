import type { ExchangeControls } from "../domain/payouts/controls.ts";
import { readHeadroom } from "../storage/payouts/exchange-controls.ts";
import type { Database } from "../storage/postgres/database.ts";

/** Quotes may exceed the headroom for this long. The exchange itself reads the ledger. */
const REFRESH_MS = 2_000;

/**
 * Keeps the headroom of the liquidity limits up to date. Every exchange moves a position and does not
 * change the configuration, so the headroom is read every two seconds.
 */
export function followHeadroom(
  database: Database,
  controls: {
    readonly current: () => ExchangeControls;
    readonly update: (headroom: ExchangeControls["headroom"]) => void;
    readonly failed: (error: Error) => void;
  },
): { stop(): Promise<void> } {
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const before = controls.current();
    if (before.headroom.size === 0) return;
    const headroom = await readHeadroom(database);
    // Controls that were read in the meantime are newer.
    if (controls.current() === before) controls.update(headroom);
  };
  const timer = setInterval(() => {
    reading ??= read()
      .catch(controls.failed)
      .finally(() => {
        reading = undefined;
      });
  }, REFRESH_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await reading;
    },
  };
}
