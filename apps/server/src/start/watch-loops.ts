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
const CHECK_MS = 5_000;

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
  nowMs: () => number = () => performance.now(),
): LoopWatch {
  const beatAtMs = new Map(loops.map((loop) => [loop, nowMs()]));
  const reported = new Set<LoopName>();
  const silentMs = (loop: LoopName): number => nowMs() - (beatAtMs.get(loop) ?? 0);
  const isStuck = (loop: LoopName): boolean => silentMs(loop) > LOOP_DEADLINES_MS[loop];
  const report = (): void => {
    for (const loop of loops.filter((each) => isStuck(each) && !reported.has(each))) {
      reported.add(loop);
      const silentSeconds = Math.round(silentMs(loop) / 1_000);
      log.error({ loop, silentSeconds }, "a loop is stuck. Restart this process");
    }
  };
  const timer = setInterval(report, CHECK_MS);
  timer.unref();
  return {
    beat: (loop) => {
      beatAtMs.set(loop, nowMs());
      if (reported.delete(loop)) log.warn({ loop }, "a loop goes round again");
    },
    states: () => Object.fromEntries(loops.map((loop) => [loop, isStuck(loop) ? "stuck" : "ok"])),
    stop: () => clearInterval(timer),
  };
}
