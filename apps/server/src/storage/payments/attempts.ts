import type {
  PaymentAttempt,
  PaymentAttemptStatus,
} from "../../domain/payments/payment-attempt.ts";
import type { ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import { lookup, type Queryable, statement } from "../postgres/database.ts";
import {
  bigInteger,
  integer,
  json,
  nullable,
  table,
  text,
  units,
  uuid,
} from "../postgres/table.ts";

export const PAYMENT_ATTEMPTS = table({
  id: uuid(),
  order_id: bigInteger(),
  number: integer(),
  card_token: text(),
  brand: text(),
  last_four: text(),
  asset_id: integer(),
  units: units(),
  status: text<PaymentAttemptStatus>(),
  decline_reason: nullable(text()),
  challenge_url: nullable(text()),
  three_d_secure: nullable(json<ThreeDSecureResult>()),
});

const FIND = lookup(
  "payment_attempts_find",
  ["uuid"],
  "select * from payment_attempts where id = $1",
);

const FIND_OPEN = statement(
  "payment_attempts_find_open",
  `select * from payment_attempts
   where order_id = $1 and status in ('processing', 'challenge', 'authorized')`,
);
export async function findPaymentAttempt(
  queryable: Queryable,
  id: string,
): Promise<PaymentAttempt | undefined> {
  const [row] = await queryable.query<object>(FIND, [id]);
  return row && PAYMENT_ATTEMPTS.read(row);
}

/** Returns the order's only attempt that has not ended, if there is one. */
export async function findOpenAttempt(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentAttempt | undefined> {
  const [row] = await queryable.query<object>(FIND_OPEN, [orderId]);
  return row && PAYMENT_ATTEMPTS.read(row);
}

const AGE = lookup(
  "payment_attempts_age",
  ["uuid"],
  `select extract(epoch from business_now() - updated_at)::float8 as seconds
   from payment_attempts where id = $1`,
);

/** Returns the seconds since the attempt's last change. */
export async function secondsSinceChange(queryable: Queryable, id: string): Promise<number> {
  const [row] = await queryable.query<{ seconds: number }>(AGE, [id]);
  if (!row) throw new Error(`payment attempt ${id} is missing`);
  return row.seconds;
}

const LIST_BILLING = statement(
  "payment_attempts_list_billing",
  `select id, billing_sealed as sealed from payment_attempts
   where order_id = $1 and billing_sealed is not null order by number`,
);

/** Lists the sealed addresses of an order's card holders. */
export const listBilling = (
  queryable: Queryable,
  orderId: bigint,
): Promise<{ readonly id: string; readonly sealed: Uint8Array }[]> =>
  queryable.query<{ id: string; sealed: Buffer }>(LIST_BILLING, [orderId]);
