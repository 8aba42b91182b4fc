import type { OrderPerson } from "../../domain/customers/personal-data.ts";
import { awaitsPriceAnswer } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { isFinished } from "../../domain/orders/status.ts";
import { type LoggedControlChange, listOrderDecisions } from "../../storage/audit/control-log.ts";
import { listOrderNotes, type OrderNote } from "../../storage/orders/notes.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { findReviewer, type Reviewer } from "../../storage/orders/reviews.ts";
import { type OrderStory, readOrderStory } from "../../storage/orders/story.ts";
import { personOf } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { type OrderMoney, readMoney } from "./held-money.ts";

/** The story of an order with the personal data of its customer opened. Both are empty after they were erased. */
export interface ReadStory {
  readonly order: Order;
  readonly rows: OrderStory;
  /** The money that the order received and returned. */
  readonly money: OrderMoney;
  readonly person: Pick<OrderPerson, "customer" | "payoutShown">;
  /** The actions of people on the order, the latest first. */
  readonly decisions: readonly LoggedControlChange[];
  /** The person who has taken the order from the review queue. */
  readonly reviewer: Reviewer | undefined;
  /** Notes of people, the first one at the top. A merchant's people read those of their merchant. */
  readonly notes: readonly OrderNote[];
}

/** Reads everything about an order: of one merchant, or with null of any. Refuses NOT_FOUND. */
export async function readStory(
  deps: Pick<Deps, "database" | "dataKeys">,
  { orderId, merchantId }: { readonly orderId: bigint; readonly merchantId: string | null },
): Promise<ReadStory> {
  const { database } = deps;
  const order = await findOrder(database, orderId);
  const isTheirs = merchantId === null || order?.merchantId === merchantId;
  const rows = order && isTheirs ? await readOrderStory(database, orderId) : undefined;
  if (!order || !rows) {
    throw new Refusal("NOT_FOUND", { message: `There is no order ${orderId}.` });
  }
  const { customer, payoutShown } = personOf(deps, order);
  return {
    order,
    rows,
    money: await readMoney(database, orderId),
    person: { customer, payoutShown },
    decisions: await listOrderDecisions(database, orderId),
    reviewer: await findReviewer(database, orderId),
    notes: await listOrderNotes(database, { orderId, merchantId }),
  };
}

const UNPAID: readonly string[] = ["awaiting_payment", "payment_pending"];

/** The jobs that wait for the end of the window to pay or to answer. */
const AT_WINDOW_END: readonly string[] = ["expire_order", "end_price_offer"];

/**
 * Returns the jobs that still have work, with the time of that work. An order may have moved on, or its window may have
 * been opened again. Its job stays in the table until the earlier time comes.
 */
export const pendingJobs = ({
  order,
  jobs,
}: Pick<OrderStory, "order" | "jobs">): OrderStory["jobs"] =>
  jobs
    .filter(({ kind }) => isPending(kind, order))
    .map((job) => {
      const isEarly =
        AT_WINDOW_END.includes(job.kind) &&
        Date.parse(job.runAt) < Date.parse(order.paymentExpiresAt);
      return isEarly ? { ...job, runAt: order.paymentExpiresAt } : job;
    });

const isPending = (
  kind: string,
  order: Pick<Order, "status" | "statusReason" | "heldFrom">,
): boolean => {
  if (kind === "expire_order") return UNPAID.includes(order.status);
  if (kind === "end_price_offer") return awaitsPriceAnswer(order);
  if (kind === "follow_payout") return true;
  return !isFinished(order.status);
};
