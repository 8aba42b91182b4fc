import { useEffect, useState } from "preact/hooks";

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
