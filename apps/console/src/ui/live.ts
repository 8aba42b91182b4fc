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
