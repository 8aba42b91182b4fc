import type { Deposit, DepositState } from "../../domain/payments/deposit.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import {
  bigInteger,
  integer,
  nullable,
  table,
  text,
  timestamp,
  units,
  uuid,
} from "../postgres/table.ts";

export const DEPOSITS = table({
  id: uuid(),
  order_id: bigInteger(),
  rail: text<Deposit["rail"]>(),
  source: text(),
  external_id: text(),
  asset_id: integer(),
  units: units(),
  state: text<DepositState>(),
  confirmations: integer(),
  confirmations_required: nullable(integer()),
  block_hash: nullable(text()),
  mined_at: nullable(timestamp()),
  created_at: timestamp(),
});

const LIST = statement(
  "deposits_list",
  "select * from deposits where order_id = $1 order by created_at, id",
);

export async function listDeposits(queryable: Queryable, orderId: bigint): Promise<Deposit[]> {
  return (await queryable.query(LIST, [orderId])).map(DEPOSITS.read);
}

const LIST_TAKEN = statement(
  "deposits_list_taken",
  `select external_id from deposits
   where rail = 'bank' and source = $1 and external_id = any ($2) and order_id <> $3`,
);

/** Returns those of a bank's deposits that another order has. */
export async function listTakenDeposits(
  queryable: Queryable,
  found: {
    readonly orderId: bigint;
    readonly source: string;
    readonly externalIds: readonly string[];
  },
): Promise<string[]> {
  const { source, externalIds, orderId } = found;
  const rows = await queryable.query<{ external_id: string }>(LIST_TAKEN, [
    source,
    externalIds,
    orderId,
  ]);
  return rows.map(({ external_id }) => external_id);
}
