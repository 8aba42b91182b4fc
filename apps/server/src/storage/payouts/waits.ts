import type { PayoutWait, PayoutWaitCode } from "../../domain/payouts/wait.ts";
import { statement, type Tx } from "../postgres/database.ts";

/** The cause for which a payout waits, as `WAIT_JSON` returns it. */
export interface WaitRow {
  readonly code: PayoutWaitCode;
  readonly limitCents: string | null;
  readonly limitOf: string | null;
}

/** The cause in a row `w` of `payout_waits`. */
export const WAIT_JSON = `json_build_object(
  'code', w.code, 'limitCents', w.limit_cents::text, 'limitOf', w.limit_of)`;

/** A cause that has no row of its own. */
export const waitJson = (code: PayoutWaitCode): string =>
  `json_build_object('code', '${code}', 'limitCents', null, 'limitOf', null)`;

const LOCK_WAIT = statement(
  "payout_waits_lock",
  "select code, why from payout_waits where intent_id = $1 for update",
);
const DELETE_WAIT = statement(
  "payout_waits_delete",
  "delete from payout_waits where intent_id = any($1::uuid[])",
);

const NOTE_WAIT = statement(
  "payout_waits_note",
  `insert into payout_waits as waiting (intent_id, outcome, why, code, limit_cents, limit_of, hit)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (intent_id) do update set outcome = excluded.outcome, why = excluded.why,
     code = excluded.code, limit_cents = excluded.limit_cents, limit_of = excluded.limit_of, hit = excluded.hit
   where (waiting.outcome, waiting.why, waiting.code, waiting.limit_cents, waiting.limit_of, waiting.hit)
     is distinct from
     (excluded.outcome, excluded.why, excluded.code, excluded.limit_cents, excluded.limit_of, excluded.hit)`,
);

export interface WaitNote {
  readonly outcome: "wait" | "hold";
  /** The cause in words. */
  readonly why: string;
  readonly cause: PayoutWait;
  /** The screening hit that people must approve. */
  readonly hit?: string;
}

/** Records why a payout waits, so that operators can see it. */
export async function notePayoutWait(
  tx: Tx,
  intentId: string,
  { outcome, why, cause, hit }: WaitNote,
): Promise<void> {
  const { code, limitCents, limitOf } = cause;
  await tx.query(NOTE_WAIT, [intentId, outcome, why, code, limitCents, limitOf, hit ?? null]);
}

/** Returns why an unsigned payout waits; undefined where nothing is in its way. The lock keeps the cause as it is. */
export async function lockWait(
  tx: Tx,
  intentId: string,
): Promise<{ readonly code: PayoutWaitCode; readonly why: string } | undefined> {
  const [row] = await tx.query<{ code: PayoutWaitCode; why: string }>(LOCK_WAIT, [intentId]);
  return row;
}

/** Deletes the reasons why payouts waited, because they are being released. */
export async function deletePayoutWaits(tx: Tx, intentIds: readonly string[]): Promise<void> {
  await tx.write(DELETE_WAIT, [intentIds]);
}
