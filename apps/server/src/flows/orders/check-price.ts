import type { Order } from "../../domain/orders/order.ts";
import { COIN_WINDOW_SECONDS } from "../../domain/payments/payment-window.ts";
import type { RateSource } from "../../domain/ports/rate-source.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { comparePrice, isPlausible } from "../../domain/quotes/rates.ts";
import { wasHeldFor, wasPromiseReleased } from "../../storage/orders/timeline.ts";
import { listDeposits } from "../../storage/payments/deposits.ts";
import { personOf } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";

/**
 * Compares the order's price with the market when its money is final. An order that was held for its price before is
 * not held again: its customer or a person has decided. A promise that the market contradicts by far is held whatever
 * was decided before, because an intruder may have stored the quote. Only an operator who saw that hold releases it
 * (docs/decisions/0064-give-the-api-a-database-role-of-its-own.md).
 */
export async function checkPrice(
  deps: Pick<Deps, "database" | "catalogue" | "dataKeys" | "rates" | "priceBandPercent">,
  { order, quote }: { readonly order: Order; readonly quote: Quote },
  now: Date,
): Promise<"within" | "moved" | "unknown" | "implausible"> {
  const market = marketOf(deps, order);
  if (!market) return "within";
  const prices = market.prices(now);
  const plausible = isPlausible(quote, prices);
  if (plausible === undefined) return "unknown";
  if (!plausible && !(await wasPromiseReleased(deps.database, order.id))) return "implausible";
  const compared = comparePrice(quote, prices, deps.priceBandPercent);
  if (compared === "within") return "within";
  if (await wasHeldFor(deps.database, order.id, { reason: "rate_moved" })) return "within";
  return (await isRateLocked(deps, order)) ? "within" : compared;
}

/** Returns the market that the order meets once it is paid. */
export const marketOf = (
  deps: Pick<Deps, "catalogue" | "dataKeys" | "rates">,
  order: Order,
): RateSource | undefined => {
  const { rates } = deps;
  if (!rates?.forOrder) return rates;
  const { customer } = personOf(deps, order);
  return rates.forOrder({
    customer,
    spendCode: deps.catalogue().requireCurrency(order.spendAssetId).code,
  });
};

/**
 * Returns whether the order keeps its locked rate. Coins that a block had within the deposit window keep it, however
 * long they take to become final (completion, section 6). Before its first block a payment can be withdrawn, so it
 * would be a free option on the price. A window that a person reopened later is not part of that promise.
 */
async function isRateLocked(
  deps: Pick<Deps, "database" | "catalogue">,
  order: Order,
): Promise<boolean> {
  const method = deps.catalogue().paymentMethodById(order.paymentMethodId);
  if (method?.type !== "crypto") return false;
  const lockedUntil = order.createdAt.getTime() + COIN_WINDOW_SECONDS * 1000;
  const final = (await listDeposits(deps.database, order.id)).filter(
    ({ state }) => state === "final",
  );
  return final.every(({ minedAt }) => minedAt !== null && minedAt.getTime() < lockedUntil);
}
