import type { Record } from "./customers.ts";

/** One round: how soon another node was the primary, and how long no write was acknowledged. */
export interface Pause {
  readonly fault: string;
  readonly leaderMs: number;
  readonly pauseMs: number;
}

export const pauseOf = (
  fault: string,
  { writesMs }: Record,
  { startMs, leaderMs }: { readonly startMs: number; readonly leaderMs: number },
): Pause => ({ fault, leaderMs, pauseMs: longestPause(writesMs, startMs) });

export function describeRound({ fault, leaderMs, pauseMs }: Pause, record: Record): string {
  const refusals = [...record.refusals].map(([answer, times]) => `${times} × ${answer}`);
  return (
    `${fault}: another primary after ${Math.round(leaderMs)} ms, no write for ` +
    `${Math.round(pauseMs)} ms, ${record.orders.length} orders, ${refusals.join(", ")}`
  );
}

/** Returns the longest time between two acknowledged writes after the moment. */
function longestPause(writesMs: readonly number[], sinceMs: number): number {
  const before = writesMs.filter((at) => at <= sinceMs);
  const after = writesMs.filter((at) => at > sinceMs).sort((one, other) => one - other);
  const moments = [Math.max(sinceMs, ...before), ...after];
  const pauses = moments.slice(1).map((at, index) => at - (moments[index] ?? at));
  return after.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...pauses);
}

/** Returns a line for each fault and one for all. With few rounds the 95th percentile is the longest. */
export function describePauses(pauses: readonly Pause[]): readonly string[] {
  const faults = new Set(pauses.map(({ fault }) => fault));
  const line = (name: string, of: readonly Pause[]): string =>
    `${name}: ${of.length} rounds, another primary after ${spread(of.map(({ leaderMs }) => leaderMs))}, ` +
    `no write for ${spread(of.map(({ pauseMs }) => pauseMs))}`;
  const each = [...faults].map((name) =>
    line(
      name,
      pauses.filter(({ fault }) => fault === name),
    ),
  );
  return pauses.length === 0 ? [] : [...each, line("all", pauses)];
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): string =>
    ((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1_000).toFixed(1);
  return `${at(0.5)} s (p50), ${at(0.95)} s (p95)`;
}
