/**
 * How many statements of several kinds may be under way, one of each kind: the fewer, the more share each.
 * One that takes long, because it waits for a lock, loses its slot, so that it keeps nobody else waiting.
 */
export interface Slots {
  /**
   * Gives what gives the slot back. Undefined where none is free, or the same `wake` has one: then it is
   * called when it may ask again.
   */
  take(wake: () => void): (() => void) | undefined;
}

export interface SlotsOptions {
  readonly count: number;
  /** A slot is kept for no longer. */
  readonly keptMsMax: number;
}

export function makeSlots({ count, keptMsMax }: SlotsOptions): Slots {
  const taken = new Set<() => void>();
  // In the order in which they began to wait.
  const waiting = new Set<() => void>();
  return {
    take: (wake) => {
      if (taken.size === count || taken.has(wake)) {
        waiting.add(wake);
        return undefined;
      }
      waiting.delete(wake);
      taken.add(wake);
      const giveBack = (): void => {
        if (timer === undefined) return;
        clearTimeout(timer);
        timer = undefined;
        taken.delete(wake);
        for (const call of waiting) call();
      };
      let timer: NodeJS.Timeout | undefined = setTimeout(giveBack, keptMsMax);
      return giveBack;
    },
  };
}

/**
 * Two at a time write orders: steps of every kind, what is placed, what is quoted. A statement of many parts
 * costs much before its first row, and two are enough to keep a database of two processors busy.
 */
const ORDER_SLOTS: SlotsOptions = { count: 2, keptMsMax: 250 };
const slotsOfOrders = new WeakMap<object, Slots>();

/** Those of the statements that write orders, for each database. */
export function orderSlots(database: object): Slots {
  const slots = slotsOfOrders.get(database) ?? makeSlots(ORDER_SLOTS);
  slotsOfOrders.set(database, slots);
  return slots;
}
