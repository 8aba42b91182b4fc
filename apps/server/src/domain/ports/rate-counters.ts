/** Requests that one process counted and that the other processes do not know yet. */
export interface RateCount {
  /** The limit they count against, such as `reads`. */
  readonly limit: string;
  /** The caller: a merchant, a token or an address. */
  readonly key: string;
  readonly amount: number;
  /** How long the window stays open if these requests open it. */
  readonly windowMs: number;
}

/** The open window of one caller, with the requests of all processes. */
export interface RateWindow {
  readonly count: number;
  readonly endsInMs: number;
}

/** Counts requests over all processes of an installation. */
export interface RateCounters {
  /** Adds counts of different callers and returns their windows in the same order. */
  add(counts: readonly RateCount[]): Promise<readonly RateWindow[]>;
}
