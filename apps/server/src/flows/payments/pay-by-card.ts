import type { CardPaymentRequest } from "@exchange/contract";
import { decide, type Move } from "../../domain/orders/machine.ts";
import type { TokenizedCard } from "../../domain/ports/card-processor.ts";
import { failpoint } from "../../failpoints.ts";
import { type AppliedStep, applyStep } from "../../storage/orders/apply-step.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { itemOf } from "../../storage/orders/timeline.ts";
import type { OrderView } from "../../storage/orders/views.ts";
import { asStarted, type NewPaymentAttempt } from "../../storage/payments/attempts.ts";
import type { Deps } from "../deps.ts";
import { stepOf } from "../orders/move.ts";
import { readOrder } from "../orders/read.ts";
import { Refusal } from "../refusal.ts";
import { tokenizeCard } from "./tokenize-card.ts";

export interface PayByCard {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly orderId: bigint;
  readonly payment: CardPaymentRequest;
  /** As it was read a moment ago. */
  readonly view: OrderView;
}

/**
 * Starts a card payment. The processor keeps the card; we keep its token, brand and last four. The
 * charge itself is a job, so a crash after this answer loses nothing.
 *
 * Refuses INVALID_INPUT (a card the processor will not take), INVALID_ORDER_STATE and
 * PROVIDER_UNAVAILABLE.
 */
export async function payByCard(deps: Deps, command: PayByCard): Promise<OrderView> {
  requirePayable(command.view.order, deps.clock.now());
  const card = await tokenizeCard(deps, command.payment.card);
  failpoint("payment.before_start");
  const started = await startPayment(deps, { command, card });
  failpoint("payment.after_start");
  return started;
}

/** Decided on the order as it was read; changed meanwhile, it is read and decided anew. */
async function startPayment(
  deps: Deps,
  start: { readonly command: PayByCard; readonly card: TokenizedCard },
): Promise<OrderView> {
  const { command } = start;
  let { view } = command;
  for (;;) {
    const move = requirePayable(view.order, deps.clock.now());
    const payment = newAttempt(deps, view.order, start);
    const details = { cardAttempts: payment.number, attemptId: payment.id };
    const leaseToken = deps.jobTaker()?.leaseToken();
    const taken = await applyStep(deps.database, {
      ...stepOf(deps, { order: view.order, move, details }),
      payment,
      inTime: true,
      ...(leaseToken === undefined ? {} : { leaseToken }),
    });
    if (taken) return goOnWith(deps, { view, move, payment, taken });
    const now = await readOrder(deps, command);
    if (now.order.version === view.order.version) throw tooLate();
    view = now;
  }
}

const newAttempt = (
  deps: Deps,
  order: Order,
  { command, card }: { readonly command: PayByCard; readonly card: TokenizedCard },
): NewPaymentAttempt => ({
  id: deps.ids.orderedUuid(),
  orderId: order.id,
  merchantId: order.merchantId,
  number: order.cardAttempts + 1,
  cardToken: card.token,
  brand: card.brand,
  lastFour: card.lastFour,
  assetId: order.spendAssetId,
  units: order.spendUnits,
  billingAddress: command.payment.billingAddress,
});

/** The order as it is now, and its charge begun by whoever has the job. */
function goOnWith(
  deps: Deps,
  started: {
    readonly view: OrderView;
    readonly move: Move;
    readonly payment: NewPaymentAttempt;
    readonly taken: AppliedStep;
  },
): OrderView {
  const { view, move, payment, taken } = started;
  const { order, next } = taken;
  const attempt = asStarted(payment);
  const taker = deps.jobTaker();
  if (next && taker) taker.goOn(next);
  else deps.wakeJobs();
  return { ...view, order, attempt, timeline: [...view.timeline, itemOf(order, move)] };
}

function requirePayable(order: Order, now: Date): Move {
  const move = decide(order, { kind: "card_payment_started" }, now);
  if (move) return move;
  if (order.status === "awaiting_payment") throw tooLate();
  throw new Refusal("INVALID_ORDER_STATE", {
    message: `An order that is ${order.status} cannot be paid.`,
  });
}

const tooLate = (): Refusal =>
  new Refusal("INVALID_ORDER_STATE", { message: "The time to pay this order is over." });
