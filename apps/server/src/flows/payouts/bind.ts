import { finishJob, type LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Order } from "../../storage/orders/orders.ts";
import {
  bindNonce,
  findPayoutIntent,
  lockPayoutIntent,
  markReleased,
  type PayoutIntent,
} from "../../storage/payouts/intents.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOrder } from "../orders/require-order.ts";

/**
 * The last step before a payout is signed: its order still wants it, it cannot be taken back any
 * more, and its place in the wallet's sequence is committed. Gives the intent as it is now, and
 * nothing when the order waits for a person or the intent was taken back: then the job has ended.
 */
export async function bindPayout(deps: Deps, job: LeasedJob): Promise<PayoutIntent | undefined> {
  const isBound = await deps.database.transaction(async (tx) => {
    const [order, intent] = await Promise.all([
      requireOrder(tx, job.orderId),
      lockPayoutIntent(tx, job.subject),
    ]);
    if (!intent || intent.state === "void" || !isWanted(order, intent)) {
      await finishJob(tx, job);
      return false;
    }
    bind(tx, intent);
    return true;
  });
  return isBound ? findPayoutIntent(deps.database, job.subject) : undefined;
}

/** What is owed back stays owed, also where another refund of the order was rejected meanwhile. */
const isWanted = (order: Order, { purpose }: PayoutIntent): boolean =>
  purpose !== "payout" || order.status === "sending";

function bind(tx: Tx, intent: PayoutIntent): void {
  if (intent.state !== "created") return;
  if (intent.releasedAt === null) markReleased(tx, intent.id);
  if (intent.rail === "chain") bindNonce(tx, intent.id);
}
