import { money } from "@exchange/money";
import type { Outgoing } from "../../domain/ledger/order-entries.ts";
import { LEAST_EXCESS_CENTS, type Receipt } from "../../domain/orders/held.ts";
import type { Order } from "../../domain/orders/order.ts";
import { euroCentsOf } from "../../domain/payouts/limits.ts";
import type { NewPayoutIntent, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { Deps } from "../deps.ts";
import { derivedUuid, type NamedOrder } from "../derived-uuid.ts";

type OweDeps = Pick<Deps, "catalogue">;

/** An order and every payout and refund that it has had. The ids of new ones follow from them. */
export interface Debtor {
  readonly order: Order;
  readonly intents: readonly Pick<PayoutIntent, "purpose" | "attemptId" | "depositId">[];
}

/** Returns the payout to the order's customer, on the rail of its delivery method. */
export function newPayout(deps: OweDeps, debtor: Debtor): NewPayoutIntent {
  const { order } = debtor;
  const delivery = deps.catalogue().deliveryMethodById(order.deliveryMethodId);
  return newIntent(deps, debtor, {
    purpose: "payout",
    rail: delivery?.type === "on_chain" ? "chain" : "bank",
    assetId: order.receiveAssetId,
    units: order.receiveUnits,
    networkCode: order.networkCode,
    address: order.walletAddress,
    memo: order.memo,
    attemptId: null,
    depositId: null,
  });
}

/** A receipt, or a part of it, to return to its payer. */
export function newRefund(
  deps: OweDeps,
  debtor: Debtor,
  receipt: Receipt,
  purpose: "refund" | "excess_refund" = "refund",
): NewPayoutIntent {
  const { order } = debtor;
  const isCoins = receipt.rail === "chain";
  const { networkCode } = deps.catalogue().requireCurrency(receipt.assetId);
  return newIntent(deps, debtor, {
    ...receipt,
    purpose,
    networkCode: isCoins ? networkCode : null,
    address: isCoins ? order.refundAddress : null,
    memo: isCoins ? order.refundMemo : null,
  });
}

/** Whether a receipt can be returned. Coins need an address that the customer named. */
export const isReturnable = (order: Order, receipt: Receipt): boolean =>
  receipt.rail !== "chain" || order.refundAddress !== null;

/**
 * Returns the refunds of money that an order does not need: an overpayment, another asset, or a
 * second payment. Coins without a refund address stay held until the customer names one. Coins of
 * too little value in all stay held until more arrive, or an operator returns them.
 */
export function newExcessRefunds(
  deps: OweDeps,
  debtor: Debtor,
  held: readonly Receipt[],
): NewPayoutIntent[] {
  const isReturned = isWorthReturning(deps, held);
  return held
    .filter(({ rail }) => rail !== "chain" || isReturned)
    .filter((receipt) => isReturnable(debtor.order, receipt))
    .map((receipt) => newRefund(deps, debtor, receipt, "excess_refund"));
}

/** Returns whether the coins are worth a transaction that returns them. */
export const isWorthReturning = (deps: OweDeps, coins: readonly Excess[]): boolean =>
  coinCentsOf(deps, coins) >= LEAST_EXCESS_CENTS;

type Excess = Pick<Receipt, "rail" | "assetId" | "units">;

/** Each value is rounded up, so the units of an asset are summed first. */
function coinCentsOf({ catalogue }: OweDeps, held: readonly Excess[]): bigint {
  const units = new Map<number, bigint>();
  for (const receipt of held.filter(({ rail }) => rail === "chain")) {
    units.set(receipt.assetId, (units.get(receipt.assetId) ?? 0n) + receipt.units);
  }
  return [...units].reduce((cents, [assetId, sum]) => {
    const amount = { asset: catalogue().requireCurrency(assetId), units: sum };
    return cents + euroCentsOf(amount);
  }, 0n);
}

/** Returns the fields of an intent for its ledger entries. */
export const outgoingOf = (
  deps: Pick<Deps, "catalogue">,
  { id, purpose, rail, assetId, units }: PayoutIntent,
): Outgoing => ({
  intentId: id,
  purpose,
  rail,
  amount: money(deps.catalogue().requireCurrency(assetId), units),
});

type Owed = Pick<
  PayoutIntent,
  | "purpose"
  | "rail"
  | "assetId"
  | "units"
  | "networkCode"
  | "address"
  | "memo"
  | "attemptId"
  | "depositId"
>;

/** The card payment or the deposit that a refund returns. A payout has none. */
export type Source = Pick<PayoutIntent, "attemptId" | "depositId">;

/**
 * Returns the id of an order's nth payout, or of the nth refund of one receipt. A refund of an excess counts with
 * the other refunds: a restored order may return the same money for another reason.
 */
export const intentIdOf = (
  { id, merchantId, createdAt }: NamedOrder,
  { attemptId, depositId }: Source,
  number: number,
): string => {
  const source = attemptId ?? depositId;
  const purpose = source === null ? "payout" : "refund";
  return derivedUuid(createdAt, [purpose, merchantId, id, source ?? "", number]);
};

function newIntent(deps: OweDeps, { order, intents }: Debtor, owed: Owed): NewPayoutIntent {
  const { assetId, units, ...rest } = owed;
  const currency = deps.catalogue().requireCurrency(assetId);
  return {
    ...rest,
    id: intentIdOf(order, owed, 1 + intents.filter((intent) => isOfSource(intent, owed)).length),
    orderId: order.id,
    merchantId: order.merchantId,
    amount: money(currency, units),
    euroCents: euroCentsOf({ asset: currency, units }),
  };
}

/** Returns whether a payout or refund is of this card payment or deposit. */
const isOfSource = (intent: Source, { attemptId, depositId }: Source): boolean =>
  intent.attemptId === attemptId && intent.depositId === depositId;
