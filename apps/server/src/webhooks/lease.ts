/** The time in which this process alone may send a claimed delivery. */
export interface Lease {
  /** Returns the milliseconds until another dispatcher may claim the delivery. */
  leftMs(): number;
}

/**
 * Starts before the statement that claims, so it ends before the lease of the row. The row's lease ends by the clock of the
 * database, whatever happens here. A timer's clock counts a stopped process and stands still in some suspended machines.
 * The calendar's clock may be set back. The one that counts more decides: a lease that seems too short costs a retry only.
 */
export function startLease(leaseMs: number): Lease {
  const startedAt = performance.now();
  const startedOn = Date.now();
  const passedMs = (): number => Math.max(performance.now() - startedAt, Date.now() - startedOn);
  return { leftMs: () => leaseMs - passedMs() };
}
