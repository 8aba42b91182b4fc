import type { HoldReason, OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { SandboxCardPlay } from "./sandbox-world.ts";

/** One thing that somebody outside does, or an operator. */
export type Step =
  | {
      readonly kind: "pay";
      readonly amount: "exact" | "half" | "double" | "other_asset";
      readonly confirmed: "none" | "all";
    }
  /** What is under way becomes final, or is lost. */
  | { readonly kind: "confirm" }
  | { readonly kind: "drop" }
  | { readonly kind: "pay_by_card"; readonly play: SandboxCardPlay }
  | {
      readonly kind: "end_card_payment";
      readonly end: "authorized" | "declined" | "authentication_failed";
    }
  | { readonly kind: "decide_payouts"; readonly outcome: "settled" | "rejected" }
  /** The clock goes on until the payment window has ended. */
  | { readonly kind: "let_expire" }
  | { readonly kind: "cancel"; readonly by: "customer" | "merchant" | "operator" }
  | { readonly kind: "hold"; readonly reason: HoldReason }
  | { readonly kind: "release" }
  | { readonly kind: "refund" }
  | { readonly kind: "wait_for"; readonly statuses: readonly OrderStatus[] };

export interface Target {
  readonly status: OrderStatus;
  /** Any reason will do when it is left out. */
  readonly reason?: StatusReason | undefined;
}

/** The steps to a status by reason, the usual reason first; a status without a reason has `none`. */
export type Ways = Partial<Record<StatusReason | "none", readonly Step[]>>;

/** The steps for the reason asked for, or the usual ones; undefined when that reason cannot be. */
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

/** An operator may hold an order for any of these. */
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
