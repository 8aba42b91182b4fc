import { setRestored } from "../../storage/history.ts";
import type { Deps } from "../deps.ts";

export interface Restored {
  /** The reason. It must not contain a number that changes, because people must agree again to a new reason. */
  readonly why: string;
  /** The highest mark that a process remembers; 0 when the mark did not show it. */
  readonly lastMark: bigint;
}

/**
 * Records that the database is older than the world. Payouts are stopped until two people agree, webhooks are held
 * until an operator has reconciled the rails, and the numbers of orders and addresses jump ahead. All of it is one database
 * transaction.
 */
export async function declareRestored(
  deps: Pick<Deps, "database" | "log">,
  { why, lastMark }: Restored,
): Promise<void> {
  await setRestored(deps.database, { why, lastMark });
  deps.log.error(
    { why },
    "the database was restored; payouts are stopped and webhooks are held. Run: exchange payouts reconcile",
  );
}
