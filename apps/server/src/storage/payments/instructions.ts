import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** Where the money of an order is to be sent. Told once. */
export interface PaymentInstruction {
  readonly orderId: bigint;
  readonly rail: "bank" | "chain";
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  /** What the rail knows the order by; a payer writes it beside a bank transfer. */
  readonly reference: string;
  readonly account: readonly { readonly label: string; readonly value: string }[];
}

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

// The first to tell wins; a gateway gives the same reference the same account anyway.
const INSERT = statement(
  "payment_instructions_insert",
  `insert into payment_instructions (order_id, merchant_id, rail, asset_id, units, network_code,
     address, memo, reference, account)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (order_id) do nothing`,
);
const FIND = statement(
  "payment_instructions_find",
  "select * from payment_instructions where order_id = $1",
);

/** Stores the instruction unless the order has one already. */
export async function insertPaymentInstruction(
  tx: Tx,
  instruction: PaymentInstruction & { readonly merchantId: string },
): Promise<void> {
  await tx.query(INSERT, [
    instruction.orderId,
    instruction.merchantId,
    instruction.rail,
    instruction.assetId,
    instruction.units,
    instruction.networkCode,
    instruction.address,
    instruction.memo,
    instruction.reference,
    // An array would become one of PostgreSQL's: as text it is JSON.
    JSON.stringify(instruction.account),
  ]);
}

export async function findPaymentInstruction(
  queryable: Queryable,
  orderId: bigint,
): Promise<PaymentInstruction | undefined> {
  const [row] = await queryable.query<PaymentInstructionRow>(FIND, [orderId]);
  return row && toPaymentInstruction(row);
}
