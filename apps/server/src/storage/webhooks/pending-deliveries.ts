/** The columns of a delivery that its row in `pending_deliveries` is made from. */
export const PENDING_COLUMNS = "merchant_id, endpoint_id, order_id, sequence, id, event_id";

/**
 * Returns an insert of the deliveries of a row source. They are due at once and at the start of their
 * schedule.
 */
export const insertPending = (source: string, outOfOrder = "false"): string =>
  `insert into pending_deliveries (merchant_id, endpoint_id, order_id, sequence, delivery_id, event_id,
     out_of_order)
   select ${PENDING_COLUMNS}, ${outOfOrder} from ${source}`;

/** Returns the condition that a pending row belongs to a delivery. */
export const isPendingOf = (pending: string, delivery: string): string =>
  `${pending}.merchant_id = ${delivery}.merchant_id
   and ${pending}.endpoint_id = ${delivery}.endpoint_id
   and ${pending}.order_id = ${delivery}.order_id and ${pending}.sequence = ${delivery}.sequence`;

/** Returns the condition that a delivery has not ended. */
export const isPending = (delivery: string): string =>
  `${delivery}.status is null and ${delivery}.given_up is null`;
