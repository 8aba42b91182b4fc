import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../deps.ts";
import { giveInstructions } from "../payments/give-instructions.ts";
import { type CardCharge, payByCard } from "../payments/pay-by-card.ts";
import { Refusal } from "../refusal.ts";
import { type OrderKey, requireOwnOrder } from "./read.ts";

export interface PayOrder extends OrderKey {
  readonly sessionId: string;
  readonly payment: CardCharge | { readonly type: "bank_transfer" | "crypto" };
}

/**
 * Pays an order by the method its quote was priced for: charges a card, or returns the payment
 * instructions. Refuses NOT_FOUND, INVALID_INPUT, INVALID_ORDER_STATE and PROVIDER_UNAVAILABLE.
 */
export async function payOrder(deps: Deps, command: PayOrder): Promise<OrderView> {
  const { payment, ...key } = command;
  const order = await requireOwnOrder(deps, key);
  const method = deps.catalogue().paymentMethodById(order.paymentMethodId);
  if (method?.type !== payment.type) {
    throw new Refusal("INVALID_INPUT", {
      message: `This order must be paid by ${method?.name ?? "another method"}, as its quote was priced.`,
      details: [{ field: "type", issue: `must be ${method?.type}` }],
    });
  }
  return payment.type === "card"
    ? payByCard(deps, { ...key, order, payment })
    : giveInstructions(deps, key);
}
