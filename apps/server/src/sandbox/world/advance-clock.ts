import { type AdvancedClock, moveClock } from "../../flows/advance-clock.ts";
import { Refusal } from "../../flows/refusal.ts";
import type { SandboxDeps } from "../deps.ts";

/**
 * Moves the sandbox's business clock forward for a merchant and wakes the workers for what is due then.
 * All merchants share the clock, so a merchant moves it only where that is allowed.
 */
export async function advanceClock(
  deps: Pick<SandboxDeps, "database" | "syncClock" | "clockMover">,
  seconds: number,
): Promise<AdvancedClock> {
  requireMovable(deps);
  const advanced = await moveClock(deps.database, seconds);
  await deps.syncClock();
  return advanced;
}

/** Refuses NOT_FOUND where only the operator moves the clock. */
export function requireMovable({ clockMover }: Pick<SandboxDeps, "clockMover">): void {
  if (clockMover === "merchants") return;
  throw new Refusal("NOT_FOUND", {
    message:
      "The operator moves the clock here, because all merchants share it. Ask the operator of this sandbox.",
  });
}
