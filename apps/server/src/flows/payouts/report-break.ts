import type { Break } from "../../domain/ledger/audit-facts.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { stopForBreaks } from "../../storage/payouts/network-stops.ts";
import type { Deps } from "../deps.ts";

/** Something that our wallet does, by the name that people know it by, such as a payout and its id. */
export interface Spender {
  readonly name: string;
  readonly networkCode: string | null;
}

export const spenderOf = ({
  id,
  networkCode,
}: Pick<PayoutIntent, "id" | "networkCode">): Spender => ({
  name: `payout ${id}`,
  networkCode,
});

type BreakDeps = Pick<Deps, "database" | "log">;

/** Reports that a transaction which we did not sign has the place of one of ours: somebody else uses the wallet. */
export async function reportForeign(deps: BreakDeps, spender: Spender, by: string): Promise<void> {
  await stopNetwork(deps, spender, {
    check: "only we spend from our wallets",
    problem: `transaction ${by}, which we did not sign, took the place of ${spender.name}`,
  });
}

/** Reports that a transaction of ours is final and moved something else than it had to. */
export async function reportMismatch(
  deps: BreakDeps,
  spender: Spender,
  { hash, why }: { readonly hash: string; readonly why: string },
): Promise<void> {
  await stopNetwork(deps, spender, {
    check: "a payout moves what is owed",
    problem: `transaction ${hash} of ${spender.name} is final: ${why}`,
  });
}

/** Reports that the chain dropped the payout of a completed order, and that it can never be made. */
export async function reportLost(
  deps: BreakDeps,
  intent: Pick<PayoutIntent, "id" | "networkCode" | "orderId">,
  why: string,
): Promise<void> {
  await stopNetwork(deps, spenderOf(intent), {
    check: "what a completed order was paid stays paid",
    problem: `the chain dropped payout ${intent.id} of order ${intent.orderId} after it was completed: ${why}. The order is in review`,
  });
}

/** Reports that the signer refused a payment in a way that shows another history than that of this database. */
export async function reportRefusal(
  deps: BreakDeps,
  spender: Spender,
  message: string,
): Promise<void> {
  await stopNetwork(deps, spender, {
    check: "the signer's log and the database agree",
    problem: `${spender.name} was not signed. ${message}`,
  });
}

/** Reports that a lost payout can take no coin that proves to the signer that it is paid once. */
export async function reportNoProof(
  deps: BreakDeps,
  spender: Spender,
  winner: string,
): Promise<void> {
  await stopNetwork(deps, spender, {
    check: "a lost payout is paid again",
    problem: `${spender.name} was lost to transaction ${winner}, which has no coin left, so it is never signed again`,
  });
}

/**
 * Records a break and stops the payouts of its network until two people agree, in one database transaction. The
 * same break stops the network once, so that people can resume it.
 */
async function stopNetwork(
  deps: BreakDeps,
  { name, networkCode }: Spender,
  found: Break,
): Promise<void> {
  const added = await deps.database.transaction((tx) => stopForBreaks(tx, networkCode, [found]));
  if (added.length === 0) return;
  deps.log.error(
    { spender: name, networkCode, check: found.check },
    `${found.problem}; its network is stopped`,
  );
}
