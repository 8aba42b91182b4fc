import { decide } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import type { NewPaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import type { CardDetails, TokenizedCard } from "../../domain/ports/card-processor.ts";
import { failpoint } from "../../failpoints.ts";
import { sealBilling } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { derivedUuid, type NamedOrder } from "../derived-uuid.ts";
import { advanceOrder, StepRefused } from "../orders/advance.ts";
import { readOrder } from "../orders/read.ts";
import { stepOf } from "../orders/step-of.ts";
import { Refusal } from "../refusal.ts";
import { tokenizeCard } from "./tokenize-card.ts";

/** The card to charge and the address of its holder. */
export interface CardCharge {
  readonly type: "card";
  readonly card: CardDetails;
  readonly billingAddress: object;
}

export interface PayByCard {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly orderId: bigint;
  readonly payment: CardCharge;
  /** The order as the caller just read it. */
  readonly order: Order;
}

/**
 * Starts a card payment. The processor stores the card; we store its token, brand and last four.
 * The charge itself is a job, so a crash after this answer loses nothing.
 *
 * Refuses INVALID_INPUT (the processor refuses the card), INVALID_ORDER_STATE and
 * PROVIDER_UNAVAILABLE.
 */
export async function payByCard(deps: Deps, command: PayByCard): Promise<OrderView> {
  requirePayable(deps, command.order);
  const card = await tokenizeCard(deps, command.payment.card);
  failpoint("payment.before_start");
  const started = await startPayment(deps, { command, card });
  failpoint("payment.after_start");
  return started;
}

/**
 * Starts from the order as it was read. An order that changed meanwhile is read and decided on
 * again.
 */
async function startPayment(
  deps: Deps,
  start: { readonly command: PayByCard; readonly card: TokenizedCard },
): Promise<OrderView> {
  const { order: found, orderId } = start.command;
  const nextLease = deps.jobTaker()?.leaseToken();
  try {
    const advancing = { orderId, order: found, nextLease };
    const { next } = await advanceOrder(deps, advancing, (order, now) => {
      // The customer may have chosen another way to pay while the card was stored.
      if (order.paymentMethodId !== found.paymentMethodId) throw notPayable(order);
      const payment = newAttempt(deps, order, start);
      const event = { kind: "card_payment_started", attemptId: payment.id } as const;
      const step = stepOf(deps, order, event, now);
      if (!step) throw notPayable(order);
      return { ...step, payment, inTime: true };
    });
    // Read before the charge continues, so that the answer is the payment that was started.
    const started = await readOrder(deps, start.command);
    // Without a worker in this process another one claims the job.
    if (next) deps.jobTaker()?.run(next);
    return started;
  } catch (error) {
    if (error instanceof StepRefused) throw tooLate();
    throw error;
  }
}

/**
 * Returns the id of an order's nth card payment, which is our reference at the processor. After a restore the nth
 * payment has the same reference, so the processor does not charge the card again.
 */
export const attemptIdOf = ({ id, merchantId, createdAt }: NamedOrder, number: number): string =>
  derivedUuid(createdAt, ["card payment", merchantId, id, number]);

function newAttempt(
  deps: Deps,
  order: Order,
  { command, card }: { readonly command: PayByCard; readonly card: TokenizedCard },
): NewPaymentAttempt {
  const number = order.cardAttempts + 1;
  const id = attemptIdOf(order, number);
  const address = command.payment.billingAddress;
  return {
    id,
    orderId: order.id,
    merchantId: order.merchantId,
    number,
    cardToken: card.token,
    brand: card.brand,
    lastFour: card.lastFour,
    assetId: order.spendAssetId,
    units: order.spendUnits,
    billingSealed: sealBilling(deps, order, { attemptId: id, address }),
  };
}

function requirePayable(deps: Deps, order: Order): void {
  const event = { kind: "card_payment_started", attemptId: "" } as const;
  if (!decide(order, event, deps.clock.now())) throw notPayable(order);
}

const notPayable = (order: Order): Refusal =>
  order.status === "awaiting_payment"
    ? tooLate()
    : new Refusal("INVALID_ORDER_STATE", {
        message: `An order that is ${order.status} cannot be paid.`,
      });

const tooLate = (): Refusal =>
  new Refusal("INVALID_ORDER_STATE", { message: "The time to pay this order is over." });
