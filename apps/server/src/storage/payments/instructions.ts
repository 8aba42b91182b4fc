import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import { type Queryable, statement } from "../postgres/database.ts";

export interface PaymentInstructionRow {
  readonly order_id: string;
  readonly rail: "bank" | "chain";
  readonly asset_id: number;
  readonly units: string;
  readonly network_code: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  readonly reference: string;
  readonly account: readonly { readonly label: string; readonly value: string }[];
}

export const toPaymentInstruction = (row: PaymentInstructionRow): PaymentInstruction => ({
  orderId: BigInt(row.order_id),
  rail: row.rail,
  assetId: row.asset_id,
  units: BigInt(row.units),
  networkCode: row.network_code,
  address: row.address,
  memo: row.memo,
  reference: row.reference,
  account: row.account,
});

const FIND = statement(
  "payment_instructions_find",
  "select * from payment_instructions where order_id = $1",
);

export async function findPaymentInstruction(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentInstruction | undefined> {
  const [row] = await queryable.query<PaymentInstructionRow>(FIND, [orderId]);
  return row && toPaymentInstruction(row);
}
