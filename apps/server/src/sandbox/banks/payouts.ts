import type { SeenPayout } from "../../domain/ports/bank-gateway.ts";
import {
  type Database,
  type Queryable,
  statement,
  type Tx,
} from "../../storage/postgres/database.ts";
import { ASK_AGAIN_MS } from "./ask-again.ts";
import type { PayoutPlan } from "./payout-plan.ts";

export interface NewPayout {
  readonly intentId: string;
  readonly reference: string;
  readonly method: string;
  readonly currency: string;
  readonly units: bigint;
  readonly beneficiaryDigest: string;
  /** The transfer that this payout returns, or null. */
  readonly returns: string | null;
  readonly plan: PayoutPlan;
}

// The bank pays an intent once, however often it is submitted.
const INSERT = statement(
  "sandbox_payout_insert",
  `insert into sandbox.bank_payouts (intent_id, reference, method, currency, units,
     beneficiary_digest, returns, outcome, reason, decided_at, heard)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
     business_now() + $10::float8 * interval '1 second', $11)
   on conflict do nothing returning intent_id`,
);
const HEAR = statement(
  "sandbox_payout_hear",
  "update sandbox.bank_payouts set heard = true where intent_id = $1 and not heard",
);
const FIND = statement(
  "sandbox_payout_find",
  `select case when business_now() < decided_at then 'pending' else outcome end as state,
     case when business_now() < decided_at then null else reason end as reason,
     ${ASK_AGAIN_MS}
   from sandbox.bank_payouts where reference = $1 and heard`,
);
const DECIDE = statement(
  "sandbox_payout_decide",
  `update sandbox.bank_payouts set outcome = $2, decided_at = business_now(),
     reason = case $2 when 'rejected' then 'account_closed' end
   where intent_id = $1 and heard and business_now() < decided_at
     and reason is distinct from 'return_refused' returning returns, units::text`,
);
const REFUSE_RETURN = statement(
  "sandbox_payout_refuse_return",
  `update sandbox.bank_payouts set outcome = 'rejected', reason = 'return_refused'
   where intent_id = $1`,
);
const GIVE_BACK_TO_TRANSFER = statement(
  "sandbox_transfer_keep",
  "update sandbox.bank_transfers set returned_units = returned_units - $2 where id = $1",
);
// A return never exceeds its transfer, and the sender's bank must accept it.
const TAKE_FROM_TRANSFER = statement(
  "sandbox_transfer_return",
  `update sandbox.bank_transfers set returned_units = returned_units + $2
   where id = $1 and returns = 'accepted' and returned_units + $2 <= units returning id`,
);

/** Accepts a payment order. Returns false when the intent was submitted before. */
export const payOut = (database: Database, payout: NewPayout): Promise<boolean> =>
  database.transaction(async (tx) => {
    const inserted = await insertPayout(tx, payout);
    if (!inserted) await tx.query(HEAR, [payout.intentId]);
    return inserted;
  });

async function insertPayout(tx: Tx, payout: NewPayout): Promise<boolean> {
  const { plan, ...paymentOrder } = payout;
  const rows = await tx.query(INSERT, [
    ...[
      paymentOrder.intentId,
      paymentOrder.reference,
      paymentOrder.method,
      paymentOrder.currency,
      paymentOrder.units,
    ],
    ...[paymentOrder.beneficiaryDigest, paymentOrder.returns, plan.outcome, plan.reason],
    ...[plan.decidedAfterSeconds, plan.loses !== "request"],
  ]);
  if (rows.length === 0) return false;
  if (
    paymentOrder.returns !== null &&
    !(await takeFromTransfer(tx, paymentOrder.returns, paymentOrder.units))
  ) {
    await tx.query(REFUSE_RETURN, [paymentOrder.intentId]);
  }
  return true;
}

async function takeFromTransfer(tx: Tx, id: string, units: bigint): Promise<boolean> {
  const rows = await tx.query(TAKE_FROM_TRANSFER, [id, units]);
  return rows.length > 0;
}

/** Returns undefined when the bank never received it. */
export async function findPayout(
  queryable: Queryable,
  reference: string,
): Promise<SeenPayout | undefined> {
  const [row] = await queryable.query<SeenPayout>(FIND, [reference]);
  return row;
}

/** Decides on a payout now. Returns false when the bank has decided already or has no such payout. */
export const decidePayout = (
  database: Database,
  intentId: string,
  outcome: "settled" | "rejected",
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const [row] = await tx.query<{ returns: string | null; units: string }>(DECIDE, [
      intentId,
      outcome,
    ]);
    if (outcome === "rejected" && row && row.returns !== null) {
      await tx.query(GIVE_BACK_TO_TRANSFER, [row.returns, row.units]);
    }
    return row !== undefined;
  });
