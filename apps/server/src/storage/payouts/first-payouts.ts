import type { OrderStatus } from "../../domain/orders/status.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** An order that is delivered on a network, with its payout if it has one. */
export interface DeliveredOrder {
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly status: OrderStatus;
  readonly payoutId: string | null;
  readonly payoutCreatedAt: Date | null;
  readonly releasedAt: Date | null;
}

type Row = Omit<DeliveredOrder, "orderId"> & { readonly orderId: string };

// An order that ended without a payout shows nothing about the network.
const EARLIEST = statement(
  "orders_delivered_earliest",
  `select o.id::text as "orderId", o.merchant_id as "merchantId", o.status,
     payout.id as "payoutId", payout.created_at as "payoutCreatedAt", payout.released_at as "releasedAt"
   from orders o join currencies c on c.id = o.receive_asset_id
     left join lateral (
       select id, created_at, released_at from payout_intents p
       where p.order_id = o.id and p.purpose = 'payout' and p.state <> 'void'
       order by p.created_at desc limit 1) payout on true
   where c.network_code = $1
     and o.status not in ('failed', 'expired', 'cancelled', 'refund_pending', 'refunded')
   order by o.created_at, o.id limit $2`,
);

/** Lists the orders that are delivered on a network, the earliest first. */
export async function listEarliestDelivered(
  queryable: Queryable,
  networkCode: string,
  limit: number,
): Promise<readonly DeliveredOrder[]> {
  const rows = await queryable.query<Row>(EARLIEST, [networkCode, limit]);
  return rows.map((row) => ({ ...row, orderId: BigInt(row.orderId) }));
}
