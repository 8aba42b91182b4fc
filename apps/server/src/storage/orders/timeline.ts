import type { Order, TimelineNote } from "../../domain/orders/order.ts";
import type { StatusReason } from "../../domain/orders/status.ts";
import type { OrderEventItem } from "../../domain/orders/view.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** Returns the timeline item that the latest change of an order wrote. */
export const itemOf = (
  { status, statusReason, updatedAt: at }: Order,
  { actor, note }: TimelineNote,
): OrderEventItem => ({ status, statusReason, actor, note, screeningHits: null, at });

// A person reviewed a hit if an operator let the order continue later. A cancellation is not a review.
const REVIEWED = statement(
  "order_events_reviewed_hits",
  `select coalesce(jsonb_agg(distinct hit.subject), '[]') as subjects
   from order_events held, jsonb_array_elements_text(held.screening_hits) as hit (subject)
   where held.order_id = $1 and held.screening_hits is not null
     and exists (select from order_events decided
       where decided.order_id = held.order_id and decided.sequence > held.sequence
         and decided.actor = 'operator' and decided.status not in ('in_review', 'cancelled'))`,
);

/** Returns the subjects of screening hits that a person has reviewed for the order. */
export async function reviewedHits(
  queryable: Queryable,
  orderId: bigint,
): Promise<ReadonlySet<string>> {
  const [row] = await queryable.query<{ subjects: string[] }>(REVIEWED, [orderId]);
  return new Set(row?.subjects);
}

const COUNT_NOTES = statement(
  "order_events_count_notes",
  `select count(*)::int as count from order_events
   where order_id = $1 and actor = $2 and note = $3 and at > business_now() - interval '1 day'`,
);

/** Returns how many items of the order's timeline have the note, of the last day. */
export async function countNotes(
  queryable: Queryable,
  orderId: bigint,
  { actor, note }: TimelineNote,
): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(COUNT_NOTES, [orderId, actor, note]);
  return row?.count ?? 0;
}

const WAS_HELD_FOR = statement(
  "order_events_was_held_for",
  `select exists (select from order_events
     where order_id = $1 and status = 'in_review' and status_reason = $2
       and note = coalesce($3, note)) as was_held`,
);

/** Whether the order was in review for this reason at any time, with the note if one is named. */
export async function wasHeldFor(
  queryable: Queryable,
  orderId: bigint,
  { reason, note }: { readonly reason: StatusReason; readonly note?: string },
): Promise<boolean> {
  const values = [orderId, reason, note ?? null];
  const [row] = await queryable.query<{ was_held: boolean }>(WAS_HELD_FOR, values);
  return row?.was_held ?? false;
}

// Only an implausible promise is held by the system for this reason out of `processing`. A price that the customer
// accepted later is another promise. In prod the API's role cannot write a line of an operator.
const WAS_PROMISE_RELEASED = statement(
  "order_events_was_promise_released",
  `select exists (select from order_events held join order_events released using (order_id)
     where order_id = $1 and held.actor = 'system' and held.status = 'in_review'
       and held.status_reason = 'limit_exceeded'
       and (select earlier.status from order_events earlier
         where earlier.order_id = held.order_id and earlier.sequence < held.sequence
         order by earlier.sequence desc limit 1) = 'processing'
       and released.sequence > held.sequence and released.actor = 'operator'
       and released.status = 'processing'
       and not exists (select from order_events accepted
         where accepted.order_id = released.order_id and accepted.sequence > released.sequence
           and accepted.actor = 'customer' and accepted.status = 'processing')) as was_released`,
);

/** Whether an operator let the order go on after its promise was held as implausible. */
export async function wasPromiseReleased(queryable: Queryable, orderId: bigint): Promise<boolean> {
  const values = [orderId];
  const [row] = await queryable.query<{ was_released: boolean }>(WAS_PROMISE_RELEASED, values);
  return row?.was_released ?? false;
}
