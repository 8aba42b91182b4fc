import { useEffect, useState } from "preact/hooks";

/** A smaller difference is the way of an answer, whose date has whole seconds. */
const CLOSE_MS = 10_000;
let aheadMs: number | undefined;

/** Compares this device's clock with the date of the service's first answer. A clock set by hand may be hours ahead. */
export function compareClock(date: string | null): void {
  const ahead = Date.now() - Date.parse(date ?? "");
  if (aheadMs === undefined && !Number.isNaN(ahead))
    aheadMs = Math.abs(ahead) < CLOSE_MS ? 0 : ahead;
}

/** Returns an instant of the service's clock, in milliseconds of this device's. */
export const onThisDevice = (unixSeconds: number): number => unixSeconds * 1_000 + (aheadMs ?? 0);

/** Returns whether an instant of this device's clock has passed. */
export function useIsOver(instant: number): boolean {
  const [isOver, setOver] = useState(() => instant <= Date.now());
  useEffect(() => {
    const check = (): void => setOver(instant <= Date.now());
    check();
    const timer = setInterval(check, 1_000);
    return () => clearInterval(timer);
  }, [instant]);
  return isOver;
}

/** Returns the seconds until an instant of this device's clock. Updates every second. */
export function useSecondsUntil(instant: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [instant]);
  return Math.max(0, Math.ceil((instant - now) / 1_000));
}
