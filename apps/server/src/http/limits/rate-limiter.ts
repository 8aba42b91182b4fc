import type { RateWindow } from "../../domain/ports/rate-counters.ts";

/** The state of a limit after one request, as the RateLimit-* headers show it. */
export interface RateUse {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Requests of one caller since the last exchange with the other processes. */
export interface UnsharedCount {
  readonly key: string;
  readonly amount: number;
  readonly windowMs: number;
}

export interface RateLimiter {
  /** Counts one request of `key`. */
  take(key: string): RateUse;
  /** Returns the state of the limit of `key` and counts nothing. */
  look(key: string): RateUse;
  /** Returns the counts that the other processes should know. */
  listUnshared(): readonly UnsharedCount[];
  /** Sets the caller's window to the one of all processes, which includes the shared count. */
  adopt(count: UnsharedCount, shared: RateWindow): void;
}

export interface LimiterOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** A clock that never jumps, such as `steadyMs`. */
  readonly nowMs: () => number;
}

interface Window {
  /** Requests of all processes, as of the last exchange. */
  count: number;
  unshared: number;
  endsAtMs: number;
}

/**
 * The time of this process. If the clock of the machine were used and set back, each open window would last longer by
 * that much.
 */
export const steadyMs = (): number => performance.now();

/** Bounds the memory. Beyond it, the window that was opened first is dropped. */
const KEYS_MAX = 100_000;
/**
 * A caller's count is shared with the other processes after each further part of its limit of this
 * size.
 */
const SHARED_PART = 1 / 20;

/** Counts requests in fixed windows, in memory. A window opens with a caller's first request. */
export function makeRateLimiter(options: LimiterOptions): RateLimiter {
  const { limit, nowMs } = options;
  const windows = new Map<string, Window>();
  const toShare = new Set<string>();
  const shareAt = Math.max(1, Math.floor(limit * SHARED_PART));
  return {
    take(key) {
      const window = openWindow(windows, key, options);
      window.count += 1;
      window.unshared += 1;
      if (window.unshared >= shareAt) toShare.add(key);
      return useOf(limit, { count: window.count, endsInMs: window.endsAtMs - nowMs() });
    },
    look(key) {
      const window = windows.get(key);
      const endsInMs = (window?.endsAtMs ?? 0) - nowMs();
      if (!window || endsInMs <= 0) return useOf(limit, { count: 0, endsInMs: options.windowMs });
      return useOf(limit, { count: window.count, endsInMs });
    },
    listUnshared() {
      const counts: UnsharedCount[] = [];
      for (const key of toShare) {
        const window = windows.get(key);
        const windowMs = (window?.endsAtMs ?? 0) - nowMs();
        if (!window || windowMs <= 0) continue;
        counts.push({ key, amount: window.unshared, windowMs });
      }
      toShare.clear();
      return counts;
    },
    adopt({ key, amount }, { count, endsInMs }) {
      const window = windows.get(key);
      if (!window) return;
      // Requests that came during the exchange are shared with the next one.
      window.unshared = Math.max(window.unshared - amount, 0);
      window.count = count + window.unshared;
      window.endsAtMs = nowMs() + endsInMs;
    },
  };
}

export const useOf = (limit: number, { count, endsInMs }: RateWindow): RateUse => ({
  allowed: count <= limit,
  limit,
  remaining: Math.max(limit - count, 0),
  resetSeconds: Math.max(Math.ceil(endsInMs / 1000), 1),
});

function openWindow(windows: Map<string, Window>, key: string, options: LimiterOptions): Window {
  const nowMs = options.nowMs();
  const current = windows.get(key);
  if (current && current.endsAtMs > nowMs) return current;
  windows.delete(key);
  forgetEnded(windows, nowMs);
  const opened = { count: 0, unshared: 0, endsAtMs: nowMs + options.windowMs };
  windows.set(key, opened);
  if (windows.size > KEYS_MAX) forgetOldest(windows);
  return opened;
}

/**
 * Removes the windows that have ended. A Map keeps the order of insertion, and a window is inserted when it opens, so
 * the first one ends first.
 */
export function forgetEnded(
  windows: Map<string, { readonly endsAtMs: number }>,
  nowMs: number,
): void {
  for (const [key, { endsAtMs }] of windows) {
    if (endsAtMs > nowMs) return;
    windows.delete(key);
  }
}

function forgetOldest(windows: Map<string, Window>): void {
  for (const key of windows.keys()) {
    windows.delete(key);
    return;
  }
}
