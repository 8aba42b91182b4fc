/** A loop waits here for work, until it is woken or its polling interval is over. */
export interface Gate {
  /** A wake without a waiter ends the next wait at once. */
  wake(): void;
  wakeIn(delayMs: number): void;
  wait(): Promise<void>;
  /** Clears every timer. */
  close(): void;
}

export function makeGate(pollMs: number): Gate {
  let isWoken = false;
  let open: (() => void) | undefined;
  const timers = new Set<NodeJS.Timeout>();
  const wake = (): void => {
    isWoken = true;
    open?.();
  };
  return {
    wake,
    wakeIn: (delayMs) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        wake();
      }, delayMs);
      timers.add(timer);
    },
    wait: async () => {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs);
          open = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      open = undefined;
      isWoken = false;
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
