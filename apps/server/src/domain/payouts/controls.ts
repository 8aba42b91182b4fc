import type { Stop } from "./stop.ts";

/** What keeps new business out, as it is now, held in memory. */
export interface ExchangeControls {
  readonly stops: readonly Stop[];
  /** How much more of an asset we may give, in its units, by its id. Absent: there is no limit. */
  readonly headroom: ReadonlyMap<number, bigint>;
}

export const NO_CONTROLS: ExchangeControls = { stops: [], headroom: new Map() };
