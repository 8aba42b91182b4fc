import type { ChangeTopic } from "@exchange/contract/admin";
import { useEffect, useState } from "preact/hooks";

/** A screen that is read again after a change of its topics. */
export interface Listener {
  readonly topics: readonly ChangeTopic[];
  readonly changed: () => void;
}

export const listeners = new Set<Listener>();
const watchers = new Set<(isPaused: boolean) => void>();
let isPaused = false;

export function setPaused(now: boolean): void {
  isPaused = now;
  for (const watch of watchers) watch(now);
}

/** Whether changes are not heard of. */
export function usePaused(): boolean {
  const [paused, setState] = useState(isPaused);
  useEffect(() => {
    watchers.add(setState);
    return () => void watchers.delete(setState);
  }, []);
  return paused;
}

/** A screen reads itself again for this long after its person last pointed, typed or scrolled. */
const ATTENDED_MS = 10 * 60_000;

let handAt = performance.now();
/** Notes that the person points, types or scrolls. */
export const noteHand = (): void => {
  handAt = performance.now();
};
/** The time at which the person last pointed, typed or scrolled, in milliseconds of `performance.now()`. */
export const handAtMs = (): number => handAt;
/** Whether a person is at the page. Each reading counts as a request, so a page without one lets its session end. */
export const isAttended = (): boolean => performance.now() - handAt < ATTENDED_MS;
