import { exchangeEntries } from "../../domain/ledger/order-entries.ts";
import { decide, type Move } from "../../domain/orders/machine.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { failpoint } from "../../failpoints.ts";
import { finishJob, type LeasedJob } from "../../storage/jobs/jobs.ts";
import { applyStepIn } from "../../storage/orders/apply-step.ts";
import type { OrderStep } from "../../storage/orders/order-step.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { wasHeldFor } from "../../storage/orders/timeline.ts";
import type { Queryable, Tx } from "../../storage/postgres/database.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import type { Deps } from "../deps.ts";
import { findShortfall } from "../payouts/check-liquidity.ts";
import { payoutParts } from "../payouts/owe-payout.ts";
import { stepOf } from "./move.ts";
import { requireOrder } from "./require-order.ts";
import { returnExcess } from "./return-excess.ts";
import { screenOrder } from "./screen.ts";

type HoldReason = "screening_hit" | "no_liquidity";

/**
 * Exchanges what was paid at the accepted quote, reserves what the customer gets and writes the
 * payout intent: one database transaction. The screening before it is asked outside of one.
 */
export async function exchangeOrder(deps: Deps, job: LeasedJob): Promise<void> {
  failpoint("exchange.before_screen");
  const screening = await screenOrder(deps, job);
  failpoint("exchange.after_screen");
  await record(deps, job, screening);
  failpoint("exchange.after_record");
}

async function record(deps: Deps, job: LeasedJob, screening: "clear" | "hit"): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const [, order] = await Promise.all([finishJob(tx, job), requireOrder(tx, job.orderId)]);
    const move = decide(order, { kind: "exchanged" }, order.lockedAt);
    if (!move) return;
    const reason = await reasonToHold(tx, deps, { order, screening });
    if (reason) return void (await applyStepIn(tx, holdingStep(deps, order, reason)));
    const quote = await requireQuote(tx, order);
    const taken = await applyStepIn(tx, exchangeStep(deps, { order, move, quote }));
    await returnExcess(tx, deps, taken.order);
  });
}

async function reasonToHold(
  tx: Tx,
  deps: Deps,
  of: { readonly order: Order; readonly screening: "clear" | "hit" },
): Promise<HoldReason | undefined> {
  const { order, screening } = of;
  const reason = await screenedOut(tx, order, screening);
  if (reason) return reason;
  return (await findShortfall(tx, deps, order)) ? "no_liquidity" : undefined;
}

/** What a person looked at already is not held for the same reason again. */
async function screenedOut(
  queryable: Queryable,
  order: Order,
  screening: "clear" | "hit",
): Promise<HoldReason | undefined> {
  if (screening === "clear") return undefined;
  return (await wasHeldFor(queryable, order.id, "screening_hit")) ? undefined : "screening_hit";
}

function holdingStep(deps: Deps, order: Order, reason: HoldReason): OrderStep {
  const move = decide(order, { kind: "held", reason, by: "system" }, deps.clock.now());
  return move ? stepOf(deps, { order, move }) : { order };
}

function exchangeStep(
  deps: Deps,
  of: { readonly order: Order; readonly move: Move; readonly quote: Quote },
): OrderStep {
  const { order, move, quote } = of;
  const { intent, reserve } = payoutParts(deps, order);
  const exchanged = exchangeEntries({ orderId: order.id, ...quote });
  return {
    ...stepOf(deps, { order, move, details: { intentId: intent.id } }),
    // Swaps in opposite directions open a merchant's accounts in the same order, so neither waits for
    // the other in a circle.
    entries: [...exchanged.toSorted((a, b) => a.asset.id - b.asset.id), reserve],
    intents: [intent],
  };
}

async function requireQuote(queryable: Queryable, order: Order): Promise<Quote> {
  const stored = await readQuote(queryable, order);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  return stored.quote;
}
