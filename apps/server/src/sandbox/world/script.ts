import type { HoldReason, OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { SandboxCardPlay } from "./sandbox-world.ts";

/** One step of the outside world or of an operator. */
export type Step =
  | {
      readonly kind: "pay";
      readonly amount: "exact" | "half" | "double" | "other_asset";
      readonly confirmed: "none" | "all";
    }
  /** The pending payment becomes final, or is lost. */
  | { readonly kind: "confirm" }
  | { readonly kind: "drop" }
  | { readonly kind: "pay_by_card"; readonly play: SandboxCardPlay }
  | {
      readonly kind: "end_card_payment";
      readonly end: "authorized" | "declined" | "authentication_failed";
    }
  | { readonly kind: "decide_payouts"; readonly outcome: "settled" | "rejected" }
  /** The business clock moves past the end of the payment window. */
  | { readonly kind: "let_expire" }
  | { readonly kind: "cancel"; readonly by: "customer" | "merchant" | "operator" }
  | { readonly kind: "hold"; readonly reason: HoldReason }
  | { readonly kind: "release" }
  | { readonly kind: "refund" }
  | { readonly kind: "wait_for"; readonly statuses: readonly OrderStatus[] };

export interface Target {
  readonly status: OrderStatus;
  /** Any reason if left out. */
  readonly reason?: StatusReason | undefined;
}

/** The steps to a status for each reason, the usual reason first. A status without a reason has `none`. */
export type Ways = Partial<Record<StatusReason | "none", readonly Step[]>>;

/** Returns the steps for the reason, or for the usual one; undefined when the reason is not possible. */
export function chooseWay(ways: Ways, reason: StatusReason | undefined) {
  return reason === undefined ? Object.values(ways)[0] : ways[reason];
}

export const pay = (
  amount: Extract<Step, { kind: "pay" }>["amount"],
  confirmed: "none" | "all" = "all",
): Step => ({ kind: "pay", amount, confirmed });

export const waitFor = (...statuses: readonly OrderStatus[]): Step => ({
  kind: "wait_for",
  statuses,
});

/** The reasons for which an operator may hold an order. */
export const HOLDS: Ways = {
  screening_hit: [{ kind: "hold", reason: "screening_hit" }],
  limit_exceeded: [{ kind: "hold", reason: "limit_exceeded" }],
  no_liquidity: [{ kind: "hold", reason: "no_liquidity" }],
  provider_error: [{ kind: "hold", reason: "provider_error" }],
};

export const CANCELS: Ways = {
  merchant_cancelled: [{ kind: "cancel", by: "merchant" }],
  user_cancelled: [{ kind: "cancel", by: "customer" }],
  operator_cancelled: [{ kind: "cancel", by: "operator" }],
};
