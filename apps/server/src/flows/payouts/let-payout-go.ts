import { DEFAULT_KEY, isLimited, limitsOf, TOTAL_KEY } from "../../domain/payouts/limits.ts";
import { isPayoutStopped } from "../../storage/payouts/controls.ts";
import type { PayoutIntent } from "../../storage/payouts/intents.ts";
import { letPayoutGo } from "../../storage/payouts/payout-go.ts";
import type { Deps } from "../deps.ts";

/**
 * Releases and binds at once a payout that nothing has to be asked about: its order still wants it, no
 * limit is set and no stop concerns it, as the database says. Gives nothing for any other: then
 * `releasePayout` says why.
 */
export async function letPlainPayoutGo(
  deps: Pick<Deps, "database" | "environment">,
  intent: PayoutIntent,
): Promise<PayoutIntent | undefined> {
  if (intent.purpose !== "payout" || hasBuiltInLimits(deps)) return undefined;
  try {
    return await letPayoutGo(deps.database, intent);
  } catch (error) {
    if (isPayoutStopped(error)) return undefined;
    throw error;
  }
}

const hasBuiltInLimits = ({ environment }: Pick<Deps, "environment">): boolean =>
  [DEFAULT_KEY, TOTAL_KEY].some((key) => isLimited(limitsOf({ environment, rows: [] }, key)));
