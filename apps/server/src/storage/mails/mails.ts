import { TERMINAL_STATUSES_SQL } from "../orders/table.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export type MailKind = "link" | "receipt";
export type MailOutcome = "sent" | "refused" | "dropped" | "given_up";

/** The natural key of a mail. */
export interface MailKey {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly kind: MailKind;
  readonly addressDigest: Uint8Array;
}

export interface NewMail extends MailKey {
  /** Sealed. */
  readonly address: Uint8Array;
  readonly language: string;
}

/** A mail that is about to be sent, with the number of its attempts so far and this one. */
export interface ClaimedMail extends NewMail {
  readonly attempts: number;
}

const INSERT = statement(
  "mails_insert",
  `insert into mails (merchant_id, order_id, kind, address_digest, address, language)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id, order_id, kind, address_digest) do nothing`,
);
/** Mails that may be sent now, as `waiting`. */
const DUE = `from mails waiting join orders o on o.id = waiting.order_id
     where waiting.ended_at is null and waiting.next_attempt_at <= clock_timestamp()
       and (waiting.kind = 'link' or o.status in (${TERMINAL_STATUSES_SQL}))`;
// The next attempt is later than the longest one, so a process that dies while it sends costs one repetition. A receipt
// waits for its order. The receipt of an order that ended otherwise is claimed once, to be dropped or put aside.
const CLAIM = statement(
  "mails_claim",
  `update mails m set attempts = m.attempts + 1,
     next_attempt_at = clock_timestamp() + least(3600, 60 * 2 ^ m.attempts) * interval '1 second'
   from (
     select waiting.merchant_id, waiting.order_id, waiting.kind, waiting.address_digest
     ${DUE}
     order by waiting.next_attempt_at limit $1 for update of waiting skip locked) due
   where m.merchant_id = due.merchant_id and m.order_id = due.order_id and m.kind = due.kind
     and m.address_digest = due.address_digest
   returning m.merchant_id as "merchantId", m.order_id as "orderId", m.kind,
     m.address_digest as "addressDigest", m.address, m.language, m.attempts`,
);
const IS_DUE = statement("mails_is_due", `select exists (select ${DUE}) as "isDue"`);
const RECORD_FAULT = statement(
  "mails_record_fault",
  `update mails set last_fault = $5
   where merchant_id = $1 and order_id = $2 and kind = $3 and address_digest = $4 and ended_at is null`,
);
// The share lock waits for a step of the order. A step that comes later finds the receipt put aside, and its trigger
// `orders_resume_receipts` makes it due again.
const PUT_ASIDE = statement(
  "mails_put_aside",
  `update mails set next_attempt_at = 'infinity', attempts = 0
   where merchant_id = $1 and order_id = $2 and kind = $3 and address_digest = $4 and ended_at is null
     and exists (select from orders where id = $2 and status in ('cancelled', 'expired') for share)`,
);
const END = statement(
  "mails_end",
  `update mails set outcome = $5, ended_at = clock_timestamp(), address = null, last_fault = $6
   where merchant_id = $1 and order_id = $2 and kind = $3 and address_digest = $4 and ended_at is null`,
);
const DELETE_OF_SESSIONS = statement(
  "mails_delete_of_sessions",
  `delete from mails where order_id in (
     select id from orders where merchant_id = $1 and session_id = any($2::text[]))`,
);
const CLEAR = statement(
  "mails_clear",
  `delete from mails where (merchant_id, order_id, kind, address_digest) in (
     select merchant_id, order_id, kind, address_digest from mails
     where ended_at < clock_timestamp() - interval '90 days'
     union all
     select m.merchant_id, m.order_id, m.kind, m.address_digest
     from mails m join orders o on o.id = m.order_id
     where m.ended_at is null and m.created_at < clock_timestamp() - interval '30 days'
       and o.status in (${TERMINAL_STATUSES_SQL})
     limit $1)`,
);

const keyOf = ({ merchantId, orderId, kind, addressDigest }: MailKey) => [
  merchantId,
  orderId,
  kind,
  addressDigest,
];

/** Stores a mail, unless the order has one of its kind to the same address. */
export const insertMail = (queryable: Queryable, mail: NewMail): Promise<number> =>
  queryable.write(INSERT, [...keyOf(mail), mail.address, mail.language]);

/** Claims at most `limit` mails that are due, and receipts whose orders have ended. */
export async function claimCustomerMails(tx: Tx, limit: number): Promise<ClaimedMail[]> {
  const rows = await tx.query<ClaimedMail & { readonly orderId: string }>(CLAIM, [limit]);
  return rows.map((row) => ({ ...row, orderId: BigInt(row.orderId) }));
}

/** Returns whether `claimCustomerMails` would find a mail. */
export async function isCustomerMailDue(tx: Tx): Promise<boolean> {
  return (await tx.query<{ readonly isDue: boolean }>(IS_DUE))[0]?.isDue === true;
}

/** Records why an attempt failed. The mail stays due. */
export const recordMailFault = (
  queryable: Queryable,
  key: MailKey,
  fault: string,
): Promise<number> => queryable.write(RECORD_FAULT, [...keyOf(key), fault]);

/** Puts a receipt aside while its order is cancelled or expired. It is due again when late money moves the order. */
export const putReceiptAside = (queryable: Queryable, key: MailKey): Promise<number> =>
  queryable.write(PUT_ASIDE, keyOf(key));

/** Ends a mail and removes its address. */
export const endMail = (
  queryable: Queryable,
  key: MailKey,
  end: { readonly outcome: MailOutcome; readonly fault?: string | undefined },
): Promise<number> => queryable.write(END, [...keyOf(key), end.outcome, end.fault ?? null]);

/** Deletes the mails of orders whose customer is erased. */
export async function deleteMailsOfSessions(
  tx: Tx,
  list: { readonly merchantId: string; readonly sessionIds: readonly string[] },
): Promise<void> {
  await tx.query(DELETE_OF_SESSIONS, [list.merchantId, list.sessionIds]);
}

/** Deletes mails 90 days after they ended, and receipts that waited 30 days for an order that will not complete. */
export const clearOldMails = (queryable: Queryable, limit: number): Promise<number> =>
  queryable.write(CLEAR, [limit]);
