import { unitsOf } from "../../domain/ledger/entry.ts";
import { type Exchange, exchangeEntries } from "../../domain/ledger/order-entries.ts";
import type { Order } from "../../domain/orders/order.ts";
import { failpoint } from "../../failpoints.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import { RequirementUnmet } from "../../storage/orders/apply-step.ts";
import type { StepParts } from "../../storage/orders/order-step.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { findLiquidityBounds, type LiquidityBounds } from "../../storage/payouts/liquidity.ts";
import { readQuote } from "../../storage/quotes/quotes.ts";
import { withLockedKey } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { newExcessRefunds, newPayout } from "../payouts/owe.ts";
import { advanceOrder, type BuiltStep } from "./advance.ts";
import { checkPrice } from "./check-price.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { screen, subjectsOf } from "./screen.ts";
import { stepOf } from "./step-of.ts";

const PRICE_RETRY_MS = 5_000;

/**
 * Exchanges the payment at the accepted quote, unless its price has moved too far. Reserves the customer's amount and
 * writes the payout intent. The order is screened first, outside the database transaction. Returns the job that sends
 * the payout, leased to this worker.
 */
export async function exchangeOrder(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  failpoint("exchange.before_screen");
  const hits = await screenOrder(deps, job);
  failpoint("exchange.after_screen");
  const next = await record(deps, job, hits);
  failpoint("exchange.after_record");
  return next;
}

/** The order was screened before its payment. The lists may have changed since then. */
async function screenOrder(deps: Deps, job: LeasedJob): Promise<readonly string[]> {
  if (!deps.screener) return [];
  const { orderId } = job;
  const order = job.order ?? (await findOrder(deps.database, orderId));
  if (!order) throw new Error(`order ${orderId} is missing`);
  return screen(deps, orderId, {
    before: "payout",
    subjects: subjectsOf(deps, await withLockedKey(deps, order)),
  });
}

async function record(
  deps: Deps,
  job: LeasedJob,
  hits: readonly string[],
): Promise<LeasedJob | undefined> {
  const advancing = { orderId: job.orderId, job, order: job.order };
  try {
    const leased = { ...advancing, nextLease: job.leaseToken };
    const { next } = await advanceOrder(deps, leased, (order, now) =>
      exchange(deps, order, now, hits),
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
  hits: readonly string[],
): Promise<BuiltStep | undefined> {
  if (order.status !== "processing") return undefined;
  if (hits.length > 0) {
    const held = { kind: "held", reason: "screening_hit", by: "system", hits } as const;
    return stepOf(deps, order, held, now);
  }
  const [stored, received, bounds] = await Promise.all([
    readQuote(deps.database, order),
    readMoney(deps.database, order.id),
    findLiquidityBounds(deps.database, order.receiveAssetId),
  ]);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  const price = await checkPrice(deps, { order, quote: stored.quote }, now);
  // The order waits for fresh prices, as new quotes do.
  if (price === "unknown") return { runAgainInMs: PRICE_RETRY_MS };
  if (price === "implausible") {
    const held = { kind: "held", reason: "limit_exceeded", by: "system" } as const;
    return stepOf(deps, order, held, now);
  }
  if (price === "moved") return stepOf(deps, order, { kind: "price_moved" }, now);
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
  return step && { ...step, ...requirementsOf(terms, bounds) };
}

/** Limits and stock are read again under their locks, whatever the quote and the order were promised. */
function requirementsOf(
  terms: Exchange,
  { hasLimit, hasStock }: LiquidityBounds,
): Pick<StepParts, "requires" | "needs"> {
  const { orderId, receive } = terms;
  const assetId = receive.asset.id;
  const [, given] = exchangeEntries(terms);
  const adds = unitsOf(given, "liquidity").units;
  return {
    requires: hasLimit ? [{ liquidity: assetId, adds }] : [],
    needs: hasStock ? { assetId, units: receive.units, orderId } : undefined,
  };
}
