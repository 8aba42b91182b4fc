import type { PaymentInstruction } from "../../domain/payments/payment-instruction.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { bigInteger, integer, json, nullable, table, text, units } from "../postgres/table.ts";

export const PAYMENT_INSTRUCTIONS = table({
  order_id: bigInteger(),
  rail: text<PaymentInstruction["rail"]>(),
  asset_id: integer(),
  units: units(),
  network_code: nullable(text()),
  address: nullable(text()),
  memo: nullable(text()),
  reference: text(),
  account: json<PaymentInstruction["account"]>(),
});

const FIND = statement(
  "payment_instructions_find",
  "select * from payment_instructions where order_id = $1",
);

export async function findPaymentInstruction(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentInstruction | undefined> {
  const [row] = await queryable.query<object>(FIND, [orderId]);
  return row && PAYMENT_INSTRUCTIONS.read(row);
}
