import type { FailingCall } from "../auditor/observer.ts";

/** Which rails were called, and which of them fail. */
export interface RailStates {
  succeeded(rail: string, call: string): void;
  failed(rail: string, call: string): void;
  /** Returns the rails of which a call fails now, with the call that fails for the longest. */
  failing(): ReadonlyMap<string, FailingCall>;
  /** Returns every rail that was called. */
  called(): readonly string[];
}

/** Calls are repeated within this time, so an older failure says nothing about now. */
const FAILURE_COUNTS_MS = 120_000;

interface Failure {
  readonly rail: string;
  readonly call: string;
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** Each kind of call has a state of its own: a provider that lists its payments may still refuse to capture one. */
export function makeRailStates(nowMs: () => number = () => performance.now()): RailStates {
  const rails = new Set<string>();
  const failures = new Map<string, Failure>();
  const keyOf = (rail: string, call: string): string => `${rail} ${call}`;
  const isRecent = ({ lastMs }: Failure): boolean => nowMs() - lastMs < FAILURE_COUNTS_MS;
  return {
    succeeded: (rail, call) => {
      rails.add(rail);
      failures.delete(keyOf(rail, call));
    },
    failed: (rail, call) => {
      rails.add(rail);
      const earlier = failures.get(keyOf(rail, call));
      const sinceMs = earlier && isRecent(earlier) ? earlier.sinceMs : nowMs();
      failures.set(keyOf(rail, call), { rail, call, sinceMs, lastMs: nowMs() });
    },
    failing: () => {
      const longest = new Map<string, FailingCall>();
      for (const failure of failures.values()) {
        const { rail, call, sinceMs, lastMs } = failure;
        const lastingMs = lastMs - sinceMs;
        if (isRecent(failure) && lastingMs >= (longest.get(rail)?.lastingMs ?? 0)) {
          longest.set(rail, { call, lastingMs });
        }
      }
      return longest;
    },
    called: () => [...rails],
  };
}
