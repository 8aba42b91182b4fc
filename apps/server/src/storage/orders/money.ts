import type { Deposit } from "../../domain/payments/deposit.ts";
import type { PaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { PAYMENT_ATTEMPTS } from "../payments/attempts.ts";
import { DEPOSITS } from "../payments/deposits.ts";
import { SHOWN_PAYOUTS, toShownPayout } from "../payouts/table.ts";
import { lookup, type Queryable } from "../postgres/database.ts";

// One statement, so that all of it is of one moment.
const READ = lookup(
  "order_money_read",
  ["bigint", "text"],
  `select
     (select ${PAYMENT_ATTEMPTS.json("a")} from payment_attempts a
       where a.order_id = $1 and a.status = 'captured') as captured,
     (select json_agg(${DEPOSITS.json("d")} order by d.created_at, d.id)
       from deposits d where d.order_id = $1) as deposits,
     (select json_agg(${SHOWN_PAYOUTS.json("p")} order by p.created_at, p.id)
       from payout_intents p where p.order_id = $1) as intents,
     exists (select from ledger_entries entry where entry.key = $2 and not exists (
       select from ledger_entries reversal where reversal.reverses = entry.id)) as exchanged`,
);

interface MoneyRow {
  readonly captured: unknown;
  readonly deposits: readonly unknown[] | null;
  readonly intents: readonly unknown[] | null;
  readonly exchanged: boolean;
}

/** The rows that say which money an order received, owes and returned. */
export interface MoneyRows {
  /** The order's only captured card payment. */
  readonly captured: PaymentAttempt | undefined;
  readonly deposits: readonly Deposit[];
  /** All payouts and refunds, oldest first. */
  readonly intents: readonly PayoutIntent[];
  /** Whether the order's spend was exchanged and the exchange was not reversed. */
  readonly exchanged: boolean;
}

export async function readMoneyRows(queryable: Queryable, orderId: bigint): Promise<MoneyRows> {
  const [row] = await queryable.query<MoneyRow>(READ, [orderId, `exchange:${orderId}:spend`]);
  if (!row) throw new Error(`the money of order ${orderId} was not read`);
  const { captured, deposits, intents, exchanged } = row;
  return {
    captured: captured === null ? undefined : PAYMENT_ATTEMPTS.read(captured),
    deposits: (deposits ?? []).map(DEPOSITS.read),
    intents: (intents ?? []).map(toShownPayout),
    exchanged,
  };
}
