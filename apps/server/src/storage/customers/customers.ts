import { TERMINAL_STATUSES_SQL } from "../orders/table.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** Digests that find the data of one customer of a merchant. One of the lists is empty. */
export interface CustomerDigests {
  readonly merchantId: string;
  readonly references: readonly Uint8Array[];
  readonly emails: readonly Uint8Array[];
}

/** The condition that nothing more is paid out for an order `o`, and that no person has to decide. */
export const HAS_ENDED = `o.status in (${TERMINAL_STATUSES_SQL}) and not exists (
  select from payout_intents i where i.order_id = o.id
    and (i.state not in ('confirmed', 'void') or i.awaits_finality))`;

/** A session of a customer, with its data key and its order. */
export interface CustomerSession {
  readonly sessionId: string;
  readonly dataKey: Uint8Array;
  readonly lockedAt: Date | null;
  /** Null when no order was placed. */
  readonly orderId: string | null;
  /** Whether the order has ended. False without an order. */
  readonly hasEnded: boolean;
  /** Until when the law keeps the order's data. Null without an order. */
  readonly keptUntil: Date | null;
  readonly isDue: boolean;
}

const SESSIONS_OF = `select k.row_key as "sessionId", k.sealed as "dataKey", k.locked_at as "lockedAt",
     o.id as "orderId", coalesce(${HAS_ENDED}, false) as "hasEnded",
     o.updated_at + make_interval(days => $4::int) as "keptUntil",
     coalesce(o.updated_at + make_interval(days => $4::int) <= business_now(), false) as "isDue"
   from data_keys k
     left join orders o on o.merchant_id = k.merchant_id and o.session_id = k.row_key
   where k.merchant_id = $1 and k.kind = 'session'
     and (k.reference_digest = any($2::bytea[]) or k.email_digest = any($3::bytea[]))
   order by k.created_at, k.row_key`;
const FIND = statement("customers_find", SESSIONS_OF);
const LOCK = statement("customers_lock", `${SESSIONS_OF} for update of k`);

const valuesOf = ({ merchantId, references, emails }: CustomerDigests, keptDays: number) => [
  merchantId,
  references,
  emails,
  keptDays,
];

/** Lists the sessions of a customer, with those whose data is locked. */
export const findCustomerSessions = (
  queryable: Queryable,
  digests: CustomerDigests,
  keptDays: number,
): Promise<CustomerSession[]> =>
  queryable.query<CustomerSession>(FIND, valuesOf(digests, keptDays));

/** Lists the same sessions and locks their keys until the database transaction ends. */
export const lockCustomerSessions = (
  tx: Tx,
  digests: CustomerDigests,
  keptDays: number,
): Promise<CustomerSession[]> => tx.query<CustomerSession>(LOCK, valuesOf(digests, keptDays));

const DELETE_SESSIONS = statement(
  "customers_delete_sessions",
  `delete from sessions
   where merchant_id = $1 and session_id = any($2::text[]) and order_id is null`,
);
const FIND_SESSIONS = statement(
  "customers_find_sessions",
  "select from sessions where merchant_id = $1 and session_id = any($2::text[])",
);
const DESTROY_KEYS = statement(
  "customers_destroy_keys",
  `delete from data_keys
   where merchant_id = $1 and kind = 'session' and row_key = any($2::text[])`,
);
const LOCK_KEYS = statement(
  "customers_lock_keys",
  `update data_keys set locked_at = business_now()
   where merchant_id = $1 and kind = 'session' and row_key = any($2::text[]) and locked_at is null`,
);

interface SessionList {
  readonly merchantId: string;
  readonly sessionIds: readonly string[];
}

/**
 * Deletes sessions in which no order was placed, with their tokens. Returns the number of those that remain,
 * because an order was placed meanwhile.
 */
export async function deleteUnusedSessions(tx: Tx, list: SessionList): Promise<number> {
  const values = [list.merchantId, list.sessionIds];
  await tx.query(DELETE_SESSIONS, values);
  return (await tx.query(FIND_SESSIONS, values)).length;
}

/** Destroys the data keys of sessions. Data sealed with them cannot be read again. */
export async function destroyKeys(tx: Tx, list: SessionList): Promise<void> {
  await tx.query(DESTROY_KEYS, [list.merchantId, list.sessionIds]);
}

/** Locks the data keys of sessions: the law requires their data, which is no longer read. */
export async function lockKeys(tx: Tx, list: SessionList): Promise<void> {
  await tx.query(LOCK_KEYS, [list.merchantId, list.sessionIds]);
}
