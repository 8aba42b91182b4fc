/** What an entry among the pending ones is made from. */
export const PENDING_COLUMNS = "merchant_id, endpoint_id, order_id, sequence, id, event_id";

/** Enters the deliveries of a row source, due at once and with a whole schedule before them. */
export const enterPending = (source: string, outOfOrder = "false"): string =>
  `insert into pending_deliveries (merchant_id, endpoint_id, order_id, sequence, delivery_id, event_id,
     out_of_order)
   select ${PENDING_COLUMNS}, ${outOfOrder} from ${source}`;

/** Which entry is that of a delivery. */
export const isPendingOf = (pending: string, delivery: string): string =>
  `${pending}.merchant_id = ${delivery}.merchant_id
   and ${pending}.endpoint_id = ${delivery}.endpoint_id
   and ${pending}.order_id = ${delivery}.order_id and ${pending}.sequence = ${delivery}.sequence`;

/** Whether a delivery has not ended. */
export const isPending = (delivery: string): string =>
  `${delivery}.status is null and ${delivery}.given_up is null`;
