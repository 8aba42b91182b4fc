/** Holds things of callers up to a total that all callers share. */
export interface Shares<T> {
  /**
   * Adds a thing. While the total is too large, the holder with the most gives up its oldest thing that is not in use, or
   * its oldest one.
   */
  add(holder: string, thing: T, size: number): void;
  /** Forgets a thing that ended. A second call does nothing. */
  remove(holder: string, thing: T): void;
}

interface Holding<T> {
  readonly sizes: Map<T, number>;
  total: number;
}

export interface ShareOptions<T> {
  readonly totalMax: number;
  /** By default nothing is in use. */
  readonly isInUse?: (thing: T) => boolean;
  /** Ends a thing, which is already removed. */
  readonly giveUp: (thing: T) => void;
}

/**
 * Bounds what all callers hold together, without a bound for each. A caller who holds much takes nothing from one who
 * holds little. Where all callers have one address, as behind a proxy that is not trusted, the oldest gives way.
 */
export function makeShares<T>(options: ShareOptions<T>): Shares<T> {
  const { totalMax, isInUse = () => false, giveUp } = options;
  const holdings = new Map<string, Holding<T>>();
  let total = 0;
  const remove = (holder: string, thing: T): void => {
    const holding = holdings.get(holder);
    const size = holding?.sizes.get(thing);
    if (!holding || size === undefined) return;
    holding.sizes.delete(thing);
    holding.total -= size;
    total -= size;
    if (holding.sizes.size === 0) holdings.delete(holder);
  };
  const giveUpOne = (): void => {
    let most: [string, Holding<T>] | undefined;
    for (const entry of holdings) if (!most || entry[1].total > most[1].total) most = entry;
    if (!most) return;
    const [holder, { sizes }] = most;
    let given: T | undefined;
    // A map keeps the order in which its entries were added.
    for (const thing of sizes.keys()) {
      given ??= thing;
      if (isInUse(thing)) continue;
      given = thing;
      break;
    }
    if (given === undefined) return;
    remove(holder, given);
    giveUp(given);
  };
  return {
    add(holder, thing, size) {
      const holding = holdings.get(holder) ?? { sizes: new Map<T, number>(), total: 0 };
      holding.sizes.set(thing, size);
      holding.total += size;
      total += size;
      holdings.set(holder, holding);
      while (total > totalMax && holdings.size > 0) giveUpOne();
    },
    remove,
  };
}
