import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import {
  findReviewer,
  leaveReview,
  listReviews,
  type ReviewedOrder,
  type ReviewFilter,
  takeReview,
} from "../../storage/orders/reviews.ts";
import type { Queryable } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { type Page, pageOf } from "../page.ts";
import { Refusal } from "../refusal.ts";

export type { ReviewedOrder } from "../../storage/orders/reviews.ts";

type ReviewDeps = Pick<Deps, "database" | "environment">;

/** Lists one page of orders in review, the one that was placed first at the top. */
export async function listReviewQueue(
  { database }: Pick<Deps, "database">,
  filter: ReviewFilter,
): Promise<Page<ReviewedOrder, ReviewedOrder>> {
  const { limit } = filter;
  return pageOf(await listReviews(database, { ...filter, limit: limit + 1 }), limit);
}

/**
 * Takes an order in review for a person, so that others leave it to them. It decides nothing: others may still act.
 * Taking one's own order again changes nothing. Refuses NOT_FOUND, and INVALID_ORDER_STATE when the order is not in
 * review or another person has taken it.
 */
export async function takeOrder(
  deps: ReviewDeps,
  { orderId, by }: { readonly orderId: bigint; readonly by: Operator },
): Promise<void> {
  const operator = requireOperator(deps, by);
  await deps.database.transaction(async (tx) => {
    if (!(await takeReview(tx, orderId, operator))) return requireOwn(tx, orderId, operator);
    await logControl(tx, {
      operator,
      action: "take_order",
      subject: String(orderId),
      before: { reviewer: null },
      after: { reviewer: operator.person },
    });
  });
}

async function requireOwn(tx: Queryable, orderId: bigint, { account }: Operator): Promise<void> {
  const order = await findOrder(tx, orderId);
  if (!order) throw new Refusal("NOT_FOUND", { message: `There is no order ${orderId}.` });
  const reviewer = await findReviewer(tx, orderId);
  if (reviewer?.account === account) return;
  throw new Refusal("INVALID_ORDER_STATE", {
    message: reviewer
      ? `${reviewer.person} has taken order ${orderId}. Ask them, or free the order first.`
      : `Order ${orderId} is ${order.status}. Only an order in review can be taken.`,
  });
}

/** Frees an order that a person has taken. */
export interface FreeOrder {
  readonly orderId: bigint;
  /** The person who has it. A colleague may free it too, and the log says who did. */
  readonly reviewer: string;
  readonly by: Operator;
}

/** Refuses INVALID_ORDER_STATE when that person does not have the order, such as after another one took it. */
export async function freeOrder(
  deps: ReviewDeps,
  { orderId, reviewer, by }: FreeOrder,
): Promise<void> {
  const operator = requireOperator(deps, by);
  await deps.database.transaction(async (tx) => {
    if (!(await leaveReview(tx, orderId, reviewer))) {
      throw new Refusal("INVALID_ORDER_STATE", {
        message: `${reviewer} does not have order ${orderId}. Read the order again to see who has it.`,
      });
    }
    await logControl(tx, {
      operator,
      action: "free_order",
      subject: String(orderId),
      before: { reviewer },
      after: { reviewer: null },
    });
  });
}
