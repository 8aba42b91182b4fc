import { mayHaveLeft } from "../../domain/orders/machine.ts";
import { isCovered, receivedUnits } from "../../domain/orders/received.ts";
import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import { CARD_ATTEMPTS_MAX } from "../../domain/orders/transitions.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { isUnderWay } from "../../domain/payments/deposit.ts";
import type { Deps } from "../../flows/deps.ts";

/** The rails of an order's payment and of its payout. */
export type PaymentRail = "card" | "bank" | "chain";
export type DeliveryRail = "bank" | "chain";

/** The facts of an order that decide how the outside world can move it on. */
export interface OrderPosition {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly heldFrom: OrderStatus | null;
  readonly payment: PaymentRail;
  readonly delivery: DeliveryRail;
  readonly attemptsLeft: number;
  /** A deposit or a card payment is pending. */
  readonly isUnderWay: boolean;
  /** Coins are final with their first block, so they are never pending. */
  readonly isFinalAtOnce: boolean;
  /** With the pending deposits, the order is paid exactly. */
  readonly isExactUnderWay: boolean;
  /** At least the order's amount was received. */
  readonly isCovered: boolean;
  /** A card payment was captured. */
  readonly isCaptured: boolean;
  /** Some of the right asset was received. */
  readonly hasRight: boolean;
  /** Some money was received, in any asset. */
  readonly hasMoney: boolean;
  /** The order has payment instructions, so money can reach it. */
  readonly hasInstruction: boolean;
  /** Another asset can be sent to the same address or account. */
  readonly hasOtherAsset: boolean;
  /** The payout may have left, so an operator can no longer hold the order. */
  readonly isPayoutReleased: boolean;
}

/** Returns the facts of an order that a plan needs. */
export function positionOf(deps: Pick<Deps, "catalogue">, view: OrderView): OrderPosition {
  const { order, deposits, attempt, payout } = view;
  const final = deposits.filter(({ state }) => state === "final");
  const seen = deposits.filter(isUnderWay);
  const payment = paymentRailOf(deps, view);
  const received = order.receivedUnits ?? 0n;
  const cardUnderWay = attempt?.status === "processing" || attempt?.status === "challenge";
  return {
    status: order.status,
    statusReason: order.statusReason,
    heldFrom: order.heldFrom,
    payment,
    delivery: order.walletAddress === null ? "bank" : "chain",
    attemptsLeft: CARD_ATTEMPTS_MAX - order.cardAttempts,
    isUnderWay: payment === "card" ? cardUnderWay : seen.length > 0,
    isFinalAtOnce: payment === "chain" && confirmationsOf(deps, view) === 1,
    isExactUnderWay: received + receivedUnits(order, seen) === order.spendUnits,
    isCovered: isCovered(order),
    isCaptured: attempt?.status === "captured",
    hasRight: received > 0n,
    hasMoney: received > 0n || final.length > 0,
    hasInstruction: view.instruction !== undefined,
    hasOtherAsset: otherAssetOf(deps, view) !== undefined,
    isPayoutReleased: payout !== undefined && mayHaveLeft([payout]),
  };
}

function confirmationsOf({ catalogue }: Pick<Deps, "catalogue">, { order }: OrderView) {
  const { networkCode } = catalogue().requireCurrency(order.spendAssetId);
  return networkCode === null ? undefined : catalogue().network(networkCode)?.confirmations;
}

export function paymentRailOf(
  { catalogue }: Pick<Deps, "catalogue">,
  { order }: OrderView,
): PaymentRail {
  const type = catalogue().paymentMethodById(order.paymentMethodId)?.type;
  if (type === "card") return "card";
  return type === "crypto" ? "chain" : "bank";
}

/** Returns a currency that a payer might send by mistake: one of the same network, or fiat for fiat. */
export function otherAssetOf({ catalogue }: Pick<Deps, "catalogue">, { order }: OrderView) {
  const spent = catalogue().currencyById(order.spendAssetId);
  return catalogue().currencies.find(
    (currency) =>
      currency.kind === spent?.kind &&
      currency.networkCode === spent.networkCode &&
      currency.id !== spent.id &&
      currency.enabled,
  );
}
