import { readOrderStamps } from "../../storage/orders/stamps.ts";
import type { Deps } from "../deps.ts";

const LOOK_MS = 300;

export interface OrderWatch {
  /**
   * Waits until the order's stamp differs from `stamp`, and returns the new stamp. Returns
   * undefined after `quietMs` without a change, or once the signal aborts.
   */
  next(wait: {
    readonly orderId: bigint;
    readonly stamp: string | undefined;
    readonly quietMs: number;
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
}

interface Waiting {
  readonly orderId: bigint;
  readonly stamp: string | undefined;
  readonly tell: (stamp: string | undefined) => void;
}

/**
 * Polls all orders that have a waiting reader with one statement. Without readers it does not poll.
 */
export function makeOrderWatch(deps: Pick<Deps, "database" | "log">): OrderWatch {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    try {
      const orderIds = [...new Set([...waiting].map(({ orderId }) => orderId))];
      const stamps = await readOrderStamps(deps.database, orderIds);
      for (const { orderId, stamp, tell } of waiting) {
        const now = stamps.get(orderId);
        if (now !== undefined && now !== stamp) tell(now);
      }
    } catch (error) {
      deps.log.warn({ err: error }, "orders cannot be watched");
    }
    timer = undefined;
    lookLater();
  };
  const lookLater = (): void => {
    if (timer === undefined && waiting.size > 0) timer = setTimeout(() => void look(), LOOK_MS);
  };
  return {
    next: ({ orderId, stamp, quietMs, signal }) =>
      new Promise((resolve) => {
        const end = (): void => tell(undefined);
        const quiet = setTimeout(end, quietMs);
        const tell = (now: string | undefined): void => {
          clearTimeout(quiet);
          signal.removeEventListener("abort", end);
          waiting.delete(item);
          resolve(now);
        };
        const item: Waiting = { orderId, stamp, tell };
        if (signal.aborted) return tell(undefined);
        signal.addEventListener("abort", end);
        waiting.add(item);
        lookLater();
      }),
  };
}
