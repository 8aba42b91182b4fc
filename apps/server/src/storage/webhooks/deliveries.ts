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

// A locked row is being recorded. Waiting for it could be a deadlock: its worker locks the endpoint afterwards.
const HURRY = statement(
  "deliveries_hurry",
  `update pending_deliveries set next_attempt_at = business_now()
   where ctid in (
     select ctid from pending_deliveries
     where merchant_id = $1 and endpoint_id = $2 and next_attempt_at > (select business_now())
     for update skip locked)`,
);

const HURRY_ONE = statement(
  "deliveries_hurry_one",
  `update pending_deliveries set next_attempt_at = business_now()
   where merchant_id = $1 and delivery_id = $2`,
);

/** Returns a statement that drops those deliveries of a row source that are still pending. */
const dropping = (chosen: string): string => `
  with chosen as materialized (${chosen}), dropped as (
     update deliveries d set given_up = 'dropped', fence = d.fence + 1
     from chosen
     where d.merchant_id = chosen.merchant_id and d.id = chosen.id and ${isPending("d")}
     returning d.merchant_id, d.endpoint_id, d.order_id, d.sequence
   )
   delete from pending_deliveries p using dropped where ${isPendingOf("p", "dropped")}`;

const DROP = statement(
  "deliveries_drop",
  dropping(`select merchant_id, delivery_id as id from pending_deliveries
    where merchant_id = $1 and endpoint_id = $2`),
);

// Locks the deliveries first, as the worker does that records an attempt.
const DROP_OF_REMOVED = statement(
  "deliveries_drop_of_removed",
  dropping(`select d.merchant_id, d.id
    from webhook_endpoints e
    join pending_deliveries p on p.merchant_id = e.merchant_id and p.endpoint_id = e.id
    join deliveries d on d.merchant_id = p.merchant_id and d.id = p.delivery_id
    where e.state = 'removed' and ${isPending("d")}
    limit $1 for no key update of d skip locked`),
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

/** Makes the pending deliveries of an endpoint due at once. Those that are due already keep their turn. */
export async function hurryDeliveries(queryable: Queryable, endpoint: EndpointKey): Promise<void> {
  await queryable.write(HURRY, [endpoint.merchantId, endpoint.endpointId]);
}

/** Makes a delivery due at once, unless it has ended. */
export async function hurryDelivery(
  queryable: Queryable,
  { merchantId, id }: Pick<HeldDelivery, "merchantId" | "id">,
): Promise<void> {
  await queryable.write(HURRY_ONE, [merchantId, id]);
}

/** Drops the pending deliveries of an endpoint that was removed. */
export async function dropDeliveries(queryable: Queryable, endpoint: EndpointKey): Promise<void> {
  await queryable.query(DROP, [endpoint.merchantId, endpoint.endpointId]);
}

/**
 * Drops at most `limit` pending deliveries of removed endpoints, and returns their number. A delivery is left when a
 * process dies during a removal, or when an order adds it at the same moment.
 */
export const dropOfRemoved = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(DROP_OF_REMOVED, [limit]);
