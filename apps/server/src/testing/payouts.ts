import { randomUUID } from "node:crypto";
import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { findPayoutIntent } from "../storage/payouts/intents.ts";
import { type Queryable, statement } from "../storage/postgres/database.ts";
import { found } from "./catalogue.ts";
import { MERCHANT_ID, type World } from "./world.ts";

const INSERT_ORDER = statement(
  "scene_order",
  `insert into orders (id, merchant_id, session_id, quote_id, operation, status,
     payment_method_id, delivery_method_id, spend_asset_id, spend_units, receive_asset_id,
     receive_units, wallet_address, network_code, payment_expires_at)
   select nextval('order_numbers') + 1000000000000, $1, $2, q.id, q.operation, 'awaiting_payment',
     q.payment_method_id, q.delivery_method_id, q.spend_currency_id, q.spend_units,
     q.receive_currency_id, q.receive_units, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bitcoin',
     business_now() + interval '1 day'
   from quotes q where q.id = $3 returning id`,
);
const MOVE_ORDER = statement(
  "scene_move",
  "update orders set status = $2, version = version + 1 where id = $1",
);
const INSERT_INTENT = statement(
  "scene_intent",
  `insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address,
     euro_cents)
   select $1, id, merchant_id, receive_asset_id, receive_units, network_code, wallet_address, $3
   from orders where id = $2`,
);

const SIGN = statement(
  "scene_sign",
  "update payout_intents set state = 'signed', transaction_hash = $2 where id = $1",
);

/** Owes a payout of 0.0015 BTC for €100, of a new order, that counts as this many euro cents. */
export async function owePayout(world: World, euroCents: bigint): Promise<BoundPayout> {
  const { sessionId } = await world.openSession();
  const quote = await world.quote(sessionId);
  const values = [MERCHANT_ID, sessionId, quote.id];
  const [order] = await world.database.query<{ id: string }>(INSERT_ORDER, values);
  for (const status of ["processing", "sending"]) {
    await world.database.query(MOVE_ORDER, [found(order).id, status]);
  }
  const id = randomUUID();
  await world.database.query(INSERT_INTENT, [id, found(order).id, euroCents]);
  return readPayout(world, id);
}

interface OfDatabase {
  readonly database: Queryable;
}

export const readPayout = async (world: OfDatabase, id: string): Promise<BoundPayout> =>
  found(await findPayoutIntent(world.database, id));

/**
 * Signs as the payout job does. The database refuses a payout that is not released, or is stopped.
 */
export async function sign(world: OfDatabase, id: string): Promise<void> {
  await world.database.query(SIGN, [id, `0x${id.replaceAll("-", "")}`]);
}

const OUTDATE = statement(
  "test_outdate_screenings",
  `update payout_intents set created_at = created_at - interval '11 minutes',
     screened_at = screened_at - interval '11 minutes' where order_id = $1`,
);

/** Makes the screenings of an order's payouts and refunds older than the time for which they are valid. */
export async function outdateScreenings(database: Queryable, orderId: bigint): Promise<void> {
  await database.query(OUTDATE, [orderId]);
}
