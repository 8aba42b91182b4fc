import { exchangeEntries } from "../domain/ledger/order-entries.ts";
import { decide } from "../domain/orders/machine.ts";
import { failpoint } from "../failpoints.ts";
import type { Tx } from "../storage/database.ts";
import { finishJob, type LeasedJob } from "../storage/jobs.ts";
import { recordEntry } from "../storage/ledger.ts";
import { wasHeldFor } from "../storage/order-timeline.ts";
import type { Order } from "../storage/orders.ts";
import { readQuote } from "../storage/quotes.ts";
import { findShortfall } from "./check-liquidity.ts";
import type { Deps } from "./deps.ts";
import { holdLocked } from "./hold-order.ts";
import { carryOutMove } from "./move-order.ts";
import { owePayout } from "./owe-payout.ts";
import { requireOrder } from "./require-order.ts";
import { returnExcess } from "./return-excess.ts";
import { screenOrder } from "./screen-order.ts";

/**
 * Exchanges what was paid at the accepted quote, reserves what the customer gets and writes the
 * payout intent: one database transaction. The screening before it is asked outside of one.
 */
export async function exchangeOrder(deps: Deps, job: LeasedJob): Promise<void> {
  failpoint("exchange.before_screen");
  const screening = await screenOrder(deps, job);
  failpoint("exchange.after_screen");
  await deps.database.transaction(async (tx) => {
    const [, order] = await Promise.all([finishJob(tx, job), requireOrder(tx, job.orderId)]);
    const move = decide(order, { kind: "exchanged" }, order.lockedAt);
    if (!move) return;
    const reason = await reasonToHold(tx, deps, { order, screening });
    if (reason) return void (await holdLocked(tx, deps, { order, reason, by: "system" }));
    await recordExchange(tx, order);
    const intentId = owePayout(tx, deps, order);
    await returnExcess(
      tx,
      deps,
      await carryOutMove(tx, deps, { order, move, details: { intentId } }),
    );
  });
  failpoint("exchange.after_record");
}

/** What a person looked at already is not held for the same reason again. */
async function reasonToHold(
  tx: Tx,
  deps: Deps,
  of: { readonly order: Order; readonly screening: "clear" | "hit" },
): Promise<"screening_hit" | "no_liquidity" | undefined> {
  const { order, screening } = of;
  if (screening === "hit" && !(await wasHeldFor(tx, order.id, "screening_hit"))) {
    return "screening_hit";
  }
  return (await findShortfall(tx, deps, order)) ? "no_liquidity" : undefined;
}

async function recordExchange(tx: Tx, order: Order): Promise<void> {
  const stored = await readQuote(tx, order);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  const entries = exchangeEntries({ orderId: order.id, ...stored.quote });
  // Swaps in opposite directions open a merchant's accounts in the same order, so neither waits for
  // the other in a circle.
  for (const entry of entries.toSorted((a, b) => a.asset.id - b.asset.id)) {
    recordEntry(tx, entry, { merchantId: order.merchantId, orderId: order.id });
  }
}
