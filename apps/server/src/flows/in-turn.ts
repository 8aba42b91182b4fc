import { Refusal } from "./refusal.ts";

/** Runs one piece of work after another. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a queue of heavy work of this process, with a bound. Work that finds it full is refused with
 * SERVICE_UNAVAILABLE and the message.
 */
export function makeTurns({
  turnsMax,
  message,
}: {
  /** The pieces of work that run or wait. */
  readonly turnsMax: number;
  readonly message: string;
}): InTurn {
  let turns = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (turns >= turnsMax) throw new Refusal("SERVICE_UNAVAILABLE", { message });
    turns += 1;
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn.finally(() => {
      turns -= 1;
    });
  };
}
