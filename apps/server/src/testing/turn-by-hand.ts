import type { Turns } from "../deadline.ts";

interface Waiting {
  readonly milliseconds: number;
  readonly onTurn: () => void;
  passedMs: number;
}

/** Stands in for `everyTurn` and `startDeadline`. A turn comes when the test says so, and the time passes turn by turn. */
export function turnByHand() {
  const waiting = new Set<Waiting>();
  const every = (milliseconds: number, onTurn: () => void): Turns => {
    const one: Waiting = { milliseconds, onTurn, passedMs: 0 };
    waiting.add(one);
    const turns: Turns = {
      stop: () => void waiting.delete(one),
      unref: () => turns,
      passedMs: () => one.passedMs,
    };
    return turns;
  };
  return {
    every,
    /** A deadline is one turn, and passes once. */
    once: (milliseconds: number, onExpired: () => void): Turns => {
      const deadline = every(milliseconds, () => {
        deadline.stop();
        onExpired();
      });
      return deadline;
    },
    turn: (times: number): void => {
      for (let count = 0; count < times; count += 1) {
        for (const one of waiting) {
          one.passedMs += one.milliseconds;
          one.onTurn();
        }
      }
    },
  };
}
