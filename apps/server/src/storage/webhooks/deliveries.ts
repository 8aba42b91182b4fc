import { type Queryable, statement } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";
import { isPending, isPendingOf, PENDING_COLUMNS } from "./pending-deliveries.ts";

/** A delivery that a worker holds, as long as the stored fence is equal to this one. */
export interface HeldDelivery {
  readonly merchantId: string;
  readonly id: string;
  readonly fence: number;
}

// An interrupted attempt does not use up the schedule, because its outcome is unknown.
const RELEASE = statement(
  "deliveries_release",
  `with released as (
     update deliveries d set attempts = d.attempts + 1, fence = d.fence + 1
     where d.merchant_id = $1 and d.id = $2 and d.fence = $3 and ${isPending("d")}
     returning d.merchant_id, d.id, d.attempts
   )
   insert into past_attempts (merchant_id, delivery_id, number, started_at, error_class)
   select merchant_id, id, attempts, business_now(), 'interrupted' from released`,
);

const GIVE_BACK = statement(
  "deliveries_give_back",
  `update deliveries d set fence = d.fence + 1
   from unnest($1::text[], $2::uuid[], $3::int[]) as held (merchant_id, id, fence)
   where d.merchant_id = held.merchant_id and d.id = held.id and d.fence = held.fence
     and ${isPending("d")}`,
);

const POSTPONE = statement(
  "deliveries_postpone",
  `with given_back as (
     update deliveries d set fence = d.fence + 1
     where d.merchant_id = $1 and d.id = $2 and d.fence = $3 and ${isPending("d")}
     returning ${PENDING_COLUMNS}
   )
   update pending_deliveries p set out_of_order = p.out_of_order or $5,
     next_attempt_at = business_now() + $4 * interval '1 second'
   from given_back where ${isPendingOf("p", "given_back")}`,
);

const DROP = statement(
  "deliveries_drop",
  `with dropped as (
     update deliveries d set given_up = 'dropped', fence = d.fence + 1
     from pending_deliveries p
     where p.merchant_id = $1 and p.endpoint_id = $2
       and d.merchant_id = p.merchant_id and d.id = p.delivery_id and ${isPending("d")}
     returning d.merchant_id, d.endpoint_id, d.order_id, d.sequence
   )
   delete from pending_deliveries p using dropped where ${isPendingOf("p", "dropped")}`,
);

/** Releases a claimed delivery, due at once. Its attempt was interrupted, so the outcome is unknown. */
export async function releaseDelivery(queryable: Queryable, held: HeldDelivery): Promise<void> {
  await queryable.query(RELEASE, [held.merchantId, held.id, held.fence]);
}

/** Releases claimed deliveries before a request was sent. They stay due as they were. */
export async function giveBackDeliveries(
  queryable: Queryable,
  held: readonly HeldDelivery[],
): Promise<void> {
  await queryable.query(GIVE_BACK, [
    held.map(({ merchantId }) => merchantId),
    held.map(({ id }) => id),
    held.map(({ fence }) => fence),
  ]);
}

/** Releases a claimed delivery before a request was sent, and makes it due later. */
export async function postponeDelivery(
  queryable: Queryable,
  held: HeldDelivery,
  until: { readonly delaySeconds: number; readonly outOfOrder: boolean },
): Promise<void> {
  const { merchantId, id, fence } = held;
  await queryable.query(POSTPONE, [merchantId, id, fence, until.delaySeconds, until.outOfOrder]);
}

/** Drops the pending deliveries of an endpoint that was removed. */
export async function dropDeliveries(queryable: Queryable, endpoint: EndpointKey): Promise<void> {
  await queryable.query(DROP, [endpoint.merchantId, endpoint.endpointId]);
}
