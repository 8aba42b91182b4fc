import type { Deposit, DepositState } from "../../domain/payments/deposit.ts";
import { type Queryable, statement } from "../postgres/database.ts";

export interface DepositRow {
  readonly id: string;
  readonly order_id: string;
  readonly rail: "bank" | "chain";
  readonly external_id: string;
  readonly asset_id: number;
  readonly units: string;
  readonly state: DepositState;
  readonly confirmations: number;
  readonly block_hash: string | null;
  readonly created_at: Date;
}

export const toDeposit = (row: DepositRow): Deposit => ({
  id: row.id,
  orderId: BigInt(row.order_id),
  rail: row.rail,
  externalId: row.external_id,
  assetId: row.asset_id,
  units: BigInt(row.units),
  state: row.state,
  confirmations: row.confirmations,
  blockHash: row.block_hash,
  createdAt: row.created_at,
});

const LIST = statement(
  "deposits_list",
  "select * from deposits where order_id = $1 order by created_at, id",
);

export async function listDeposits(queryable: Queryable, orderId: bigint): Promise<Deposit[]> {
  const rows = await queryable.query<DepositRow>(LIST, [orderId]);
  return rows.map(toDeposit);
}
