import type { CardPaymentRequest } from "@exchange/contract";
import { decide } from "../domain/orders/machine.ts";
import type { TokenizedCard } from "../domain/ports/card-processor.ts";
import { failpoint } from "../failpoints.ts";
import type { Tx } from "../storage/database.ts";
import type { OrderView } from "../storage/order-views.ts";
import { lockOrder, type Order } from "../storage/orders.ts";
import { insertPaymentAttempt } from "../storage/payment-attempts.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { readOrder } from "./read-order.ts";
import { Refusal } from "./refusal.ts";
import { tokenizeCard } from "./tokenize-card.ts";

export interface PayByCard {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly orderId: bigint;
  readonly payment: CardPaymentRequest;
  /** As it was read a moment ago. */
  readonly order: Order;
}

/**
 * Starts a card payment. The processor keeps the card; we keep its token, brand and last four. The
 * charge itself is a job, so a crash after this answer loses nothing.
 *
 * Refuses INVALID_INPUT (a card the processor will not take), INVALID_ORDER_STATE and
 * PROVIDER_UNAVAILABLE.
 */
export async function payByCard(deps: Deps, command: PayByCard): Promise<OrderView> {
  requirePayable(command.order, deps.clock.now());
  const card = await tokenizeCard(deps, command.payment.card);
  failpoint("payment.before_start");
  await deps.database.transaction((tx) => startPayment(tx, deps, { command, card }));
  failpoint("payment.after_start");
  deps.wakeJobs();
  return readOrder(deps, command);
}

async function startPayment(
  tx: Tx,
  deps: Deps,
  start: { readonly command: PayByCard; readonly card: TokenizedCard },
): Promise<void> {
  const { command, card } = start;
  const order = await lockOrder(tx, command.orderId);
  if (!order) throw new Refusal("NOT_FOUND");
  const move = requirePayable(order, order.lockedAt);
  const attemptId = deps.ids.uuid();
  const number = order.cardAttempts + 1;
  insertPaymentAttempt(tx, {
    id: attemptId,
    orderId: order.id,
    merchantId: order.merchantId,
    number,
    cardToken: card.token,
    brand: card.brand,
    lastFour: card.lastFour,
    assetId: order.spendAssetId,
    units: order.spendUnits,
    billingAddress: command.payment.billingAddress,
  });
  await carryOutMove(tx, deps, { order, move, details: { cardAttempts: number, attemptId } });
}

function requirePayable(order: Order, now: Date) {
  const move = decide(order, { kind: "card_payment_started" }, now);
  if (move) return move;
  throw new Refusal("INVALID_ORDER_STATE", {
    message:
      order.status === "awaiting_payment"
        ? "The time to pay this order is over."
        : `An order that is ${order.status} cannot be paid.`,
  });
}
