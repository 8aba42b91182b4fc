import { fetchedOnce } from "../fetched-once.ts";
import type { LaterEffect, RunLater } from "../machine/effects.ts";
import { type FlowDeps, pause } from "./deps.ts";

const FETCH_AGAIN_MS = 2_000;

/** Fetches the file with every screen and flow after the first screen. */
export const fetchLater = fetchedOnce(() => import("../later.tsx"));

/** Carries out later effects in their order, once the file that does so is here. */
export function createLaterQueue(deps: FlowDeps): RunLater {
  const waiting: LaterEffect[] = [];
  let run: RunLater = (effect) => {
    if (waiting.push(effect) === 1) void start();
  };
  const start = async (): Promise<void> => {
    try {
      const { createLaterRunner } = await fetchLater();
      run = createLaterRunner(deps);
      for (const effect of waiting) run(effect);
    } catch {
      await pause(FETCH_AGAIN_MS);
      await start();
    }
  };
  return (effect) => run(effect);
}
