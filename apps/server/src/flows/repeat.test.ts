import { expect, test, vi } from "vitest";
import { repeat } from "./repeat.ts";

const EVERY_MS = 1_000;

const unexpected = (error: unknown): never => expect.unreachable(String(error));

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const withTimers = (run: () => Promise<void>) => async () => {
  vi.useFakeTimers();
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
};

test(
  "a turn that comes while a round is under way is left out",
  withTimers(async () => {
    const { open, opened } = gate();
    let rounds = 0;
    const round = async (): Promise<void> => {
      rounds += 1;
      if (rounds === 1) await opened;
    };
    const stop = repeat({ everyMs: EVERY_MS, round, failed: unexpected });
    await vi.advanceTimersByTimeAsync(5 * EVERY_MS);
    expect(rounds).toBe(1);
    open();
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(rounds).toBe(2);
    await stop();
  }),
);

test(
  "a round that fails is told, and the next one comes",
  withTimers(async () => {
    const failures: unknown[] = [];
    const round = async (): Promise<void> => {
      throw new Error("away");
    };
    const stop = repeat({ everyMs: EVERY_MS, round, failed: (error) => failures.push(error) });
    await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(failures).toEqual([new Error("away"), new Error("away"), new Error("away")]);
    await stop();
  }),
);

test(
  "the end aborts the round, waits for it, and does not tell its failure",
  withTimers(async () => {
    const { open, opened } = gate();
    let isOver = false;
    const round = async (signal: AbortSignal): Promise<void> => {
      await opened;
      isOver = true;
      signal.throwIfAborted();
    };
    const stop = repeat({ everyMs: EVERY_MS, round, failed: unexpected });
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    const stopping = stop();
    expect(isOver).toBe(false);
    open();
    await stopping;
    expect(isOver).toBe(true);
    await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
  }),
);
