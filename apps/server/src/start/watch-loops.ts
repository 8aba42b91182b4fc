import { everyTurn } from "../deadline.ts";
import type { Deps, LoopName } from "../flows/deps.ts";

/**
 * The longest time that each loop of a process may take to go round. A statement fails after 45 seconds at the
 * latest, so a database that is away does not make a loop late. A pass of the audit reads many orders.
 */
export const LOOP_DEADLINES_MS: Readonly<Record<LoopName, number>> = {
  configuration: 60_000,
  jobs: 60_000,
  webhooks: 60_000,
  audit: 600_000,
};
/** The states change at these checks. */
export const LOOPS_CHECK_MS = 5_000;

export interface LoopWatch {
  /** Says that a loop went round. */
  beat(loop: LoopName): void;
  /** Returns the state of each loop. */
  states(): Readonly<Partial<Record<LoopName, "ok" | "stuck">>>;
  stop(): void;
}

/** The loops of each role. */
export const LOOPS = {
  api: ["configuration"],
  worker: ["configuration", "jobs", "webhooks", "audit"],
} as const satisfies Record<string, readonly LoopName[]>;

/**
 * Watches loops of this process, so that a hung loop is seen although the process answers. Writes a line to the log when
 * a loop is stuck, and one when it goes round again.
 */
export function watchLoops(
  log: Deps["log"],
  loops: readonly LoopName[],
  every: typeof everyTurn = everyTurn,
): LoopWatch {
  /** The time of the checks at which each loop went round. It hardly passes in a pause, in which no loop runs. */
  const wentRoundAt = new Map<LoopName, number>();
  const stuck = new Set<LoopName>();
  const check = (): void => {
    for (const loop of loops.filter((each) => !stuck.has(each))) {
      const silentMs = checks.passedMs() - (wentRoundAt.get(loop) ?? 0);
      if (silentMs <= LOOP_DEADLINES_MS[loop]) continue;
      stuck.add(loop);
      const silentSeconds = Math.round(silentMs / 1_000);
      log.error({ loop, silentSeconds }, "a loop is stuck. Restart this process");
    }
  };
  const checks = every(LOOPS_CHECK_MS, check).unref();
  return {
    beat: (loop) => {
      wentRoundAt.set(loop, checks.passedMs());
      if (stuck.delete(loop)) log.warn({ loop }, "a loop goes round again");
    },
    states: () => Object.fromEntries(loops.map((loop) => [loop, stuck.has(loop) ? "stuck" : "ok"])),
    stop: () => checks.stop(),
  };
}
