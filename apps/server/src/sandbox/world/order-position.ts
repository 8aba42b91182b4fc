import { CARD_ATTEMPTS_MAX } from "../../domain/orders/machine.ts";
import { receivedUnits } from "../../domain/orders/received.ts";
import type { OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { Deps } from "../../flows/deps.ts";
import type { OrderView } from "../../flows/orders/read.ts";

/** How money comes in for an order, and how it goes out. */
export type PaymentRail = "card" | "bank" | "chain";
export type DeliveryRail = "bank" | "chain";

/** Where an order stands, as far as the world outside can move it on. */
export interface OrderPosition {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly heldFrom: OrderStatus | null;
  readonly payment: PaymentRail;
  readonly delivery: DeliveryRail;
  readonly attemptsLeft: number;
  /** A deposit, or a card payment, is under way. */
  readonly isUnderWay: boolean;
  /** What is under way makes the order's amount exactly. */
  readonly isExactUnderWay: boolean;
  /** What was received is at least what the order is for. */
  readonly isCovered: boolean;
  /** Something of the right asset was received. */
  readonly hasRight: boolean;
  /** Something was received, whatever it is. */
  readonly hasMoney: boolean;
  /** The order was told an address or account, so that money can come to it. */
  readonly hasInstruction: boolean;
  /** Another asset can be sent to the same place. */
  readonly hasOtherAsset: boolean;
}

/** Reads off an order what a plan needs to know. */
export function positionOf(deps: Pick<Deps, "catalogue">, view: OrderView): OrderPosition {
  const { order, deposits, attempt } = view;
  const final = deposits.filter(({ state }) => state === "final");
  const seen = deposits.filter(({ state }) => state === "seen");
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
    isExactUnderWay: received + receivedUnits(order, seen) === order.spendUnits,
    isCovered: received >= order.spendUnits,
    hasRight: received > 0n,
    hasMoney: received > 0n || final.length > 0,
    hasInstruction: view.instruction !== undefined,
    hasOtherAsset: otherAssetOf(deps, view) !== undefined,
  };
}

export function paymentRailOf(
  { catalogue }: Pick<Deps, "catalogue">,
  { order }: OrderView,
): PaymentRail {
  const type = catalogue().paymentMethodById(order.paymentMethodId)?.type;
  if (type === "card") return "card";
  return type === "crypto" ? "chain" : "bank";
}

/** A currency that somebody might send by mistake: of the same network, or fiat for fiat. */
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
