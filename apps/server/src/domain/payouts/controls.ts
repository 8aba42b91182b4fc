import type { Stop } from "./stop.ts";

/** The stops and limits that keep new business out, held in memory. */
export interface ExchangeControls {
  readonly stops: readonly Stop[];
  /** How much more of an asset we may give, in its units, by its id. An absent asset has no limit. */
  readonly headroom: ReadonlyMap<number, bigint>;
}

export const NO_CONTROLS: ExchangeControls = { stops: [], headroom: new Map() };
