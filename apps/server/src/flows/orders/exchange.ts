import { unitsOf } from "../../domain/ledger/entry.ts";
import { exchangeEntries } from "../../domain/ledger/order-entries.ts";
import type { Order } from "../../domain/orders/order.ts";
import { failpoint } from "../../failpoints.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import { RequirementUnmet } from "../../storage/orders/apply-step.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { wasHeldFor } from "../../storage/orders/timeline.ts";
import { hasLiquidityLimit } from "../../storage/payouts/liquidity.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import type { Deps } from "../deps.ts";
import { newExcessRefunds, newPayout } from "../payouts/owe.ts";
import { advanceOrder, type BuiltStep } from "./advance.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { stepOf } from "./step-of.ts";

type Screening = "clear" | "hit";

/**
 * Exchanges the payment at the accepted quote, reserves the customer's amount and writes the payout
 * intent. The order is screened first, outside the database transaction. Returns the job that sends
 * the payout, leased to this worker.
 */
export async function exchangeOrder(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  failpoint("exchange.before_screen");
  const screening = await screen(deps, job);
  failpoint("exchange.after_screen");
  const next = await record(deps, job, screening);
  failpoint("exchange.after_record");
  return next;
}

/** Screens the order's customer and address. The result is clear where there is no screener. */
async function screen(deps: Deps, job: LeasedJob): Promise<Screening> {
  if (!deps.screener) return "clear";
  const { orderId } = job;
  const order = job.order ?? (await findOrder(deps.database, orderId));
  if (!order) throw new Error(`order ${orderId} is missing`);
  const { walletAddress, networkCode, customer } = order;
  return deps.screener.screen({ address: walletAddress, networkCode, customer });
}

async function record(
  deps: Deps,
  job: LeasedJob,
  screening: Screening,
): Promise<LeasedJob | undefined> {
  const advancing = { orderId: job.orderId, job, order: job.order };
  try {
    const { next } = await advanceOrder(deps, advancing, (order, now) =>
      exchange(deps, order, now, screening),
    );
    return next;
  } catch (error) {
    if (!(error instanceof RequirementUnmet)) throw error;
    const held = { kind: "held", reason: "no_liquidity", by: "system" } as const;
    await advanceOrder(deps, advancing, (order, now) =>
      order.status === "processing" ? stepOf(deps, order, held, now) : undefined,
    );
    return undefined;
  }
}

async function exchange(
  deps: Deps,
  order: Order,
  now: Date,
  screening: Screening,
): Promise<BuiltStep | undefined> {
  if (order.status !== "processing") return undefined;
  if (await isScreenedOut(deps, order, screening)) {
    return stepOf(deps, order, { kind: "held", reason: "screening_hit", by: "system" }, now);
  }
  const [stored, received, isLimited] = await Promise.all([
    readQuote(deps.database, order),
    readMoney(deps.database, order.id),
    hasLiquidityLimit(deps.database, order.receiveAssetId),
  ]);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  const terms = { ...stored.quote, orderId: order.id };
  const held = heldOf(order, { ...received, exchanged: true });
  const debtor = { order, intents: received.intents };
  const step = stepOf(
    deps,
    order,
    {
      kind: "exchanged",
      exchange: terms,
      payout: newPayout(deps, debtor),
      excess: newExcessRefunds(deps, debtor, held),
    },
    now,
  );
  if (!step || !isLimited) return step;
  const [, given] = exchangeEntries(terms);
  const adds = unitsOf(given, "liquidity").units;
  return { ...step, requires: [{ liquidity: order.receiveAssetId, adds }] };
}

/** An order that a person has reviewed is not held for the same reason again. */
async function isScreenedOut(deps: Deps, order: Order, screening: Screening): Promise<boolean> {
  if (screening === "clear") return false;
  return !(await wasHeldFor(deps.database, order.id, "screening_hit"));
}
