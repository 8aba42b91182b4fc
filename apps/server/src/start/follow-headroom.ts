import type { ExchangeControls } from "../domain/payouts/controls.ts";
import { readHeadroom } from "../storage/payouts/exchange-controls.ts";
import type { Database } from "../storage/postgres/database.ts";

/** Quotes may be too generous for so long; the exchange itself asks the books. */
const REFRESH_MS = 2_000;

/**
 * Positions move with every exchange, which changes no configuration: where there are limits they are
 * read again every other second.
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
    // What was read anew meanwhile is younger.
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
