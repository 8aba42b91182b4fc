import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { repeat } from "../flows/repeat.ts";
import { listHoles, vacate } from "../storage/payouts/holes.ts";
import { listOwnSends } from "../storage/payouts/own-sends.ts";
import { advanceOwnSend } from "./own-sends.ts";

const LOOK_MAX_MS = 5_000;

export interface HoleOptions {
  /** The age of a place that was taken and never signed, before it is filled. */
  readonly afterSeconds: number;
  /** False while nobody knows whether this database was restored. */
  readonly mayFill?: () => boolean;
}

type HoleDeps = Pick<Deps, "database" | "catalogue" | "chain" | "ids" | "log">;

/**
 * Fills the places of payouts and top-ups that were not signed, so that later sends do not wait for them. Any
 * number of processes may do it at once. Returns the function that stops it.
 */
export function startHoleFiller(deps: HoleDeps, options: HoleOptions): () => Promise<void> {
  const { afterSeconds, mayFill } = options;
  return repeat({
    everyMs: Math.min(afterSeconds * 1_000, LOOK_MAX_MS),
    round: async () => {
      if (mayFill?.() !== false) await fillHoles(deps, afterSeconds);
    },
    failed: (err) => deps.log.warn({ err }, "places were not filled, retrying"),
  });
}

/** Lets cancels have the places of unsigned sends, and takes every cancel and every raise a step further. */
export async function fillHoles(deps: HoleDeps, afterSeconds: number): Promise<void> {
  const { database, chain, ids, log } = deps;
  if (chain === undefined) return;
  for (const sendId of await listHoles(database, afterSeconds)) {
    failpoint("hole.before_vacate");
    const cancelId = ids.uuid();
    const isVacated = await database.transaction((tx) => vacate(tx, { sendId, cancelId }));
    failpoint("hole.after_vacate");
    if (isVacated) log.warn({ sendId, cancelId }, "a send that was not signed gave up its place");
  }
  for (const own of await listOwnSends(database)) {
    try {
      await advanceOwnSend(deps, chain, own);
    } catch (error) {
      log.warn({ err: error, sendId: own.id }, `a ${own.purpose} will be retried`);
    }
  }
}
