import type { Stop } from "./stop.ts";

/** The stops and limits that refuse new business, held in memory. */
export interface ExchangeControls {
  readonly stops: readonly Stop[];
  /** The units of each asset that may still be sold, by asset id. An absent asset has no limit. */
  readonly headroom: ReadonlyMap<number, bigint>;
  /**
   * The coins of each asset above its floor that nothing was promised of, by asset id. The stock of an absent
   * asset is unlimited.
   */
  readonly stock: ReadonlyMap<number, bigint>;
}
