/** The destination of an order's payment. It is assigned once. */
export interface PaymentInstruction {
  readonly orderId: bigint;
  readonly rail: "bank" | "chain";
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  /** The order's reference on the rail. A payer adds it to a bank transfer. */
  readonly reference: string;
  readonly account: readonly { readonly label: string; readonly value: string }[];
}
