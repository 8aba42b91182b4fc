import type { HoldReason } from "../domain/orders/status.ts";
import type { LeasedJob } from "../storage/jobs.ts";
import type { PayoutIntent } from "../storage/payout-intents.ts";
import type { Deps } from "./deps.ts";

/** What the controls say of a payout: send it, ask again later, or hold its order for a person. */
export type PayoutRelease =
  | { readonly outcome: "go" }
  | { readonly outcome: "wait"; readonly delayMs: number; readonly why: string }
  | { readonly outcome: "hold"; readonly reason: HoldReason; readonly note: string };

/** Whether a payout may be bound and signed. */
export async function releasePayout(
  _deps: Deps,
  _payout: { readonly job: LeasedJob; readonly intent: PayoutIntent },
): Promise<PayoutRelease> {
  return { outcome: "go" };
}
