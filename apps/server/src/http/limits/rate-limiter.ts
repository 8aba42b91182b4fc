/** What one request used up, as the RateLimit-* headers tell it. */
export interface RateUse {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one request of `key`. */
  take(key: string): RateUse;
}

interface Window {
  count: number;
  readonly endsAtMs: number;
}

/** More callers than this and the ones seen first are forgotten: memory stays bounded. */
const KEYS_MAX = 100_000;

/** Counts requests in fixed windows, in memory. `nowMs` is the real clock. */
export function makeRateLimiter(options: {
  readonly limit: number;
  readonly windowMs: number;
  readonly nowMs: () => number;
}): RateLimiter {
  const windows = new Map<string, Window>();
  const windowOf = (key: string, nowMs: number): Window => {
    const found = windows.get(key);
    if (found && found.endsAtMs > nowMs) return found;
    windows.delete(key);
    forgetEnded(windows, nowMs);
    const opened = { count: 0, endsAtMs: nowMs + options.windowMs };
    windows.set(key, opened);
    if (windows.size > KEYS_MAX) forgetOldest(windows);
    return opened;
  };
  return {
    take(key) {
      const nowMs = options.nowMs();
      const window = windowOf(key, nowMs);
      window.count += 1;
      return {
        allowed: window.count <= options.limit,
        limit: options.limit,
        remaining: Math.max(options.limit - window.count, 0),
        resetSeconds: Math.max(Math.ceil((window.endsAtMs - nowMs) / 1000), 1),
      };
    },
  };
}

/** A Map keeps insertion order and windows are re-inserted when they open: the first ends first. */
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
