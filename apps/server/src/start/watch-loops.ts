import type { Deps, LoopName } from "../flows/deps.ts";

/**
 * The longest time that each loop of a worker may take to go round. A statement fails after 45 seconds at the
 * latest, so a database that is away does not make a loop late. A pass of the audit reads many orders.
 */
export const LOOP_DEADLINES_MS: Readonly<Record<LoopName, number>> = {
  jobs: 60_000,
  webhooks: 60_000,
  audit: 600_000,
};
const LOOPS = Object.keys(LOOP_DEADLINES_MS) as readonly LoopName[];
const CHECK_MS = 5_000;

export interface LoopWatch {
  /** Says that a loop went round. */
  beat(loop: LoopName): void;
  /** Returns the state of each loop. */
  states(): Readonly<Record<LoopName, "ok" | "stuck">>;
  stop(): void;
}

/**
 * Watches the loops of this process's worker, so that a hung loop is seen although the process answers. Writes a
 * line to the log when a loop is stuck, and one when it goes round again.
 */
export function watchLoops(
  log: Deps["log"],
  nowMs: () => number = () => performance.now(),
): LoopWatch {
  const beatAtMs = new Map(LOOPS.map((loop) => [loop, nowMs()]));
  const reported = new Set<LoopName>();
  const silentMs = (loop: LoopName): number => nowMs() - (beatAtMs.get(loop) ?? 0);
  const isStuck = (loop: LoopName): boolean => silentMs(loop) > LOOP_DEADLINES_MS[loop];
  const report = (): void => {
    for (const loop of LOOPS.filter((each) => isStuck(each) && !reported.has(each))) {
      reported.add(loop);
      const silentSeconds = Math.round(silentMs(loop) / 1_000);
      log.error({ loop, silentSeconds }, "a worker loop is stuck. Restart this process");
    }
  };
  const timer = setInterval(report, CHECK_MS);
  timer.unref();
  return {
    beat: (loop) => {
      beatAtMs.set(loop, nowMs());
      if (reported.delete(loop)) log.warn({ loop }, "a worker loop goes round again");
    },
    states: () => {
      const stateOf = (loop: LoopName) => (isStuck(loop) ? "stuck" : "ok");
      return { jobs: stateOf("jobs"), webhooks: stateOf("webhooks"), audit: stateOf("audit") };
    },
    stop: () => clearInterval(timer),
  };
}
