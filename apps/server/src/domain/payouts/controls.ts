import type { Stop } from "./stop.ts";

/** The stops and limits that refuse new business, held in memory. */
export interface ExchangeControls {
  readonly stops: readonly Stop[];
  /** The units of each asset that may still be sold, by asset id. An absent asset has no limit. */
  readonly headroom: ReadonlyMap<number, bigint>;
}

export const NO_CONTROLS: ExchangeControls = { stops: [], headroom: new Map() };
