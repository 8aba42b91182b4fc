import type { Turns } from "../deadline.ts";

/** Stands in for `everyTurn` and `startDeadline`. A turn comes, and a deadline passes, when the test says so. */
export function turnByHand() {
  const waiting = new Set<() => void>();
  return {
    every: (_milliseconds: number, onTurn: () => void): Turns => {
      waiting.add(onTurn);
      const turns: Turns = { stop: () => void waiting.delete(onTurn), unref: () => turns };
      return turns;
    },
    turn: (times: number): void => {
      for (let count = 0; count < times; count += 1) for (const onTurn of waiting) onTurn();
    },
  };
}
