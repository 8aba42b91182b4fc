import type { Operator } from "../../domain/operators/operator.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** Another refund address that the customer of an order asked for. */
export interface RequestedAddress {
  readonly orderId: bigint;
  readonly refundAddress: string;
  readonly refundMemo: string | null;
}

const LOCK = statement(
  "refund_address_approvals_lock",
  "select from orders where id = $1 for update",
);
const INSERT = statement(
  "refund_address_approvals_insert",
  `insert into refund_address_approvals (order_id, address, memo, person, account)
   values ($1, $2, $3, $4, $5) on conflict do nothing returning person`,
);
const LIST = statement(
  "refund_address_approvals_list",
  `select person from refund_address_approvals
   where order_id = $1 and address = $2 and memo = $3 order by at, person`,
);

const keyOf = ({ orderId, refundAddress, refundMemo }: RequestedAddress) => [
  String(orderId),
  refundAddress,
  refundMemo ?? "",
];

/**
 * Records an approval. It locks the order, so that the second of two people sees the first. Returns false when the person
 * or the account had approved the address before.
 */
export async function insertAddressApproval(
  tx: Tx,
  requested: RequestedAddress,
  { person, account }: Pick<Operator, "person" | "account">,
): Promise<boolean> {
  await tx.query(LOCK, [String(requested.orderId)]);
  return (await tx.query(INSERT, [...keyOf(requested), person, account])).length > 0;
}

/** Lists the people who approved the address, each once, the earliest first. */
export const listAddressApprovers = async (
  queryable: Queryable,
  requested: RequestedAddress,
): Promise<readonly string[]> =>
  (await queryable.query<{ readonly person: string }>(LIST, keyOf(requested))).map(
    ({ person }) => person,
  );
