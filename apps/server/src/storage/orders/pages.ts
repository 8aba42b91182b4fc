import { statement, type Tx } from "../postgres/database.ts";

/** Whether the page of an order `o` was revoked. */
export const IS_PAGE_REVOKED = `exists (
     select from revoked_order_pages revoked where revoked.order_id = o.id)`;

const REVOKE = statement(
  "order_pages_revoke",
  `insert into revoked_order_pages (order_id, merchant_id)
   select o.id, o.merchant_id from orders o where o.id = $1
   on conflict (order_id) do nothing`,
);

/** Revokes the page of an order. Returns false when it was revoked before. */
export const revokeOrderPage = async (tx: Tx, orderId: bigint): Promise<boolean> =>
  (await tx.write(REVOKE, [orderId])) > 0;
