import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../deps.ts";
import { giveInstructions } from "../payments/give-instructions.ts";
import { type CardCharge, payByCard } from "../payments/pay-by-card.ts";
import { Refusal } from "../refusal.ts";
import { advanceOrder } from "./advance.ts";
import { type OrderKey, readOrder, requireOwnOrder } from "./read.ts";
import { screen, subjectsOf } from "./screen.ts";
import { stepOf } from "./step-of.ts";

export interface PayOrder extends OrderKey {
  readonly sessionId: string;
  readonly payment: CardCharge | { readonly type: "bank_transfer" | "crypto" };
}

/**
 * Pays an order by the method its quote was priced for: charges a card, or returns the payment
 * instructions. The order is screened first, so that no money is taken for an order that is then
 * held. Refuses NOT_FOUND, INVALID_INPUT, INVALID_ORDER_STATE and PROVIDER_UNAVAILABLE.
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
  if (await holdOnHit(deps, order)) return readOrder(deps, key);
  return payment.type === "card"
    ? payByCard(deps, { ...key, order, payment })
    : giveInstructions(deps, key);
}

/** Holds an unpaid order whose parties or addresses the screener hits. Returns whether it did. */
async function holdOnHit(deps: Deps, order: Order): Promise<boolean> {
  if (!deps.screener || order.status !== "awaiting_payment") return false;
  const subjects = subjectsOf(deps, order);
  const request = { before: "payment", subjects } as const;
  const hits = await screen(deps, order.id, request).catch((error: unknown) => {
    deps.log.warn({ err: error, orderId: String(order.id) }, "an order could not be screened");
    throw new Refusal("PROVIDER_UNAVAILABLE");
  });
  if (hits.length === 0) return false;
  const held = { kind: "held", reason: "screening_hit", by: "system", hits } as const;
  await advanceOrder(deps, { orderId: order.id }, (current, now) =>
    current.status === "awaiting_payment" ? stepOf(deps, current, held, now) : undefined,
  );
  return true;
}
