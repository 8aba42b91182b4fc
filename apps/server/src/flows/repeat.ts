export interface Repeated {
  readonly everyMs: number;
  /** Whether the first round begins now, and not after the first interval. */
  readonly atOnce?: boolean;
  /** One round. The signal aborts when the loop is to end. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  /** Takes the failure of a round, unless the loop was to end. The next round comes as usual. */
  readonly failed: (error: unknown) => void;
}

/**
 * Repeats a round, and never has two at once: a turn that comes while a round is under way is left out. The loop keeps no
 * process alive. Returns the function that ends it and waits for its last round.
 */
export function repeat({ everyMs, atOnce = false, round, failed }: Repeated): () => Promise<void> {
  const ended = new AbortController();
  let underWay: Promise<void> | undefined;
  const runRound = async (): Promise<void> => {
    try {
      await round(ended.signal);
    } catch (error) {
      if (!ended.signal.aborted) failed(error);
    }
  };
  const takeTurn = (): void => {
    underWay ??= runRound().finally(() => {
      underWay = undefined;
    });
  };
  if (atOnce) takeTurn();
  const timer = setInterval(takeTurn, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    ended.abort();
    await underWay;
  };
}
