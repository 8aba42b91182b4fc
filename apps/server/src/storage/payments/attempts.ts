import type {
  PaymentAttempt,
  PaymentAttemptStatus,
} from "../../domain/payments/payment-attempt.ts";
import type { ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import { type Queryable, statement } from "../postgres/database.ts";

export interface PaymentAttemptRow {
  readonly id: string;
  readonly order_id: string;
  readonly number: number;
  readonly card_token: string;
  readonly brand: string;
  readonly last_four: string;
  readonly asset_id: number;
  readonly units: string;
  readonly status: PaymentAttemptStatus;
  readonly decline_reason: string | null;
  readonly challenge_url: string | null;
  readonly three_d_secure: ThreeDSecureResult | null;
}

export const toPaymentAttempt = (row: PaymentAttemptRow): PaymentAttempt => ({
  id: row.id,
  orderId: BigInt(row.order_id),
  number: row.number,
  cardToken: row.card_token,
  brand: row.brand,
  lastFour: row.last_four,
  assetId: row.asset_id,
  units: BigInt(row.units),
  status: row.status,
  declineReason: row.decline_reason,
  challengeUrl: row.challenge_url,
  threeDSecure: row.three_d_secure,
});

const FIND = statement("payment_attempts_find", "select * from payment_attempts where id = $1");

const FIND_OPEN = statement(
  "payment_attempts_find_open",
  `select * from payment_attempts
   where order_id = $1 and status in ('processing', 'challenge', 'authorized')`,
);
const FIND_CAPTURED = statement(
  "payment_attempts_find_captured",
  "select * from payment_attempts where order_id = $1 and status = 'captured'",
);

export async function findPaymentAttempt(
  queryable: Queryable,
  id: string,
): Promise<PaymentAttempt | undefined> {
  const [row] = await queryable.query<PaymentAttemptRow>(FIND, [id]);
  return row && toPaymentAttempt(row);
}

/** The one attempt whose end is not known yet, if any. */
export async function findOpenAttempt(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentAttempt | undefined> {
  const [row] = await queryable.query<PaymentAttemptRow>(FIND_OPEN, [orderId]);
  return row && toPaymentAttempt(row);
}

/** The one attempt that took the money, if any. */
export async function findCapturedAttempt(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentAttempt | undefined> {
  const [row] = await queryable.query<PaymentAttemptRow>(FIND_CAPTURED, [orderId]);
  return row && toPaymentAttempt(row);
}
