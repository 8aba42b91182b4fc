import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { storeBreakOnce } from "../../storage/audit/breaks.ts";
import { putStop } from "../../storage/payouts/stops.ts";
import type { Deps } from "../deps.ts";

/** Reports that a transaction which we did not sign has the payout's place: somebody else uses the wallet. */
export async function reportForeign(deps: Deps, intent: PayoutIntent, by: string): Promise<void> {
  await stopNetwork(deps, intent, {
    check: "only we spend from our wallets",
    problem: `transaction ${by}, which we did not sign, took the place of payout ${intent.id}`,
  });
}

/** Reports that the payout's transaction is final and moved something else than the payout. */
export async function reportMismatch(
  deps: Deps,
  intent: PayoutIntent,
  { hash, why }: { readonly hash: string; readonly why: string },
): Promise<void> {
  await stopNetwork(deps, intent, {
    check: "a payout moves what is owed",
    problem: `transaction ${hash} of payout ${intent.id} is final: ${why}`,
  });
}

/**
 * Records a break and stops the payouts of its network until two people agree, in one database transaction. The
 * same break stops the network once, so that people can resume it.
 */
async function stopNetwork(
  deps: Deps,
  { id, networkCode }: PayoutIntent,
  found: { readonly check: string; readonly problem: string },
): Promise<void> {
  const subject = `chain:${networkCode}`;
  const isNew = await deps.database.transaction(async (tx) => {
    if (!(await storeBreakOnce(tx, { ...found, subject }))) return false;
    const reason = found.problem;
    const stop = { kind: "rail", subject, reason, setBy: "auditor", peopleToResume: 2 } as const;
    await putStop(tx, stop);
    return true;
  });
  if (!isNew) return;
  deps.log.error(
    { payoutId: id, networkCode, check: found.check },
    `${found.problem}; its network is stopped`,
  );
}
