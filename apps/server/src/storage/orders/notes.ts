import { type Queryable, statement } from "../postgres/database.ts";

/** A note of a person on an order: a row of the log of changes, which nobody changes or removes. */
export interface OrderNote {
  readonly at: Date;
  readonly person: string;
  /** The merchant of the person. Null for a person of the operator. */
  readonly merchantId: string | null;
  readonly text: string;
}

const NOTES_MAX = 200;

const LIST = statement(
  "control_log_notes",
  `select at, person, merchant_id as "merchantId", details ->> 'note' as text from control_log
   where subject = $1 and action = 'note_order' and ($2::text is null or merchant_id = $2)
   order by id desc limit ${NOTES_MAX}`,
);

/** Lists the notes on an order, the first one at the top: of everybody, or of one merchant's people. */
export async function listOrderNotes(
  queryable: Queryable,
  { orderId, merchantId }: { readonly orderId: bigint; readonly merchantId: string | null },
): Promise<OrderNote[]> {
  return (await queryable.query<OrderNote>(LIST, [String(orderId), merchantId])).toReversed();
}
