import { type Queryable, statement } from "./database.ts";
import type { ClaimedDelivery } from "./delivery-claims.ts";
import type { EndpointKey } from "./webhook-endpoints.ts";

const RELEASE = statement(
  "deliveries_release",
  `with released as (
     update deliveries set lease_token = null, leased_until = null
     where merchant_id = $1 and id = $2 and lease_token = $3
     returning merchant_id, id, attempts, attempted_at
   )
   insert into delivery_attempts (merchant_id, delivery_id, number, started_at, error_class)
   select merchant_id, id, attempts, attempted_at, 'interrupted' from released`,
);

// No attempt was made, so none is counted.
const GIVE_BACK = statement(
  "deliveries_give_back",
  `update deliveries set attempts = attempts - 1, lease_token = null, leased_until = null
   where merchant_id = $1 and id = $2 and lease_token = $3`,
);

const POSTPONE = statement(
  "deliveries_postpone",
  `update deliveries set attempts = attempts - 1, lease_token = null, leased_until = null,
     next_attempt_at = business_now() + $4 * interval '1 second',
     out_of_order = out_of_order or $5
   where merchant_id = $1 and id = $2 and lease_token = $3`,
);

const DROP = statement(
  "deliveries_drop",
  `update deliveries set state = 'dropped', lease_token = null, leased_until = null
   where merchant_id = $1 and endpoint_id = $2 and state = 'pending'`,
);

type Lease = Pick<ClaimedDelivery, "merchantId" | "id" | "leaseToken">;

/** Gives a claimed delivery back, due at once: its attempt was broken off, its outcome unknown. */
export async function releaseDelivery(queryable: Queryable, delivery: Lease): Promise<void> {
  await queryable.query(RELEASE, [delivery.merchantId, delivery.id, delivery.leaseToken]);
}

/** Gives a claimed delivery back before anything was sent, due as it was. */
export async function giveBackDelivery(queryable: Queryable, delivery: Lease): Promise<void> {
  await queryable.query(GIVE_BACK, [delivery.merchantId, delivery.id, delivery.leaseToken]);
}

/** Gives a claimed delivery back before anything was sent, due later. */
export async function postponeDelivery(
  queryable: Queryable,
  delivery: Lease,
  until: { readonly delaySeconds: number; readonly outOfOrder: boolean },
): Promise<void> {
  const { merchantId, id, leaseToken } = delivery;
  const values = [merchantId, id, leaseToken, until.delaySeconds, until.outOfOrder];
  await queryable.query(POSTPONE, values);
}

/** Gives up what was still to be sent to an endpoint that was removed. */
export async function dropDeliveries(queryable: Queryable, endpoint: EndpointKey): Promise<void> {
  await queryable.query(DROP, [endpoint.merchantId, endpoint.endpointId]);
}
