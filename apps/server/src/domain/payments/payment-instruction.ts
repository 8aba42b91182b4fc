/** Where the money of an order is to be sent. Told once. */
export interface PaymentInstruction {
  readonly orderId: bigint;
  readonly rail: "bank" | "chain";
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  /** The order's name on the rail; a payer writes it beside a bank transfer. */
  readonly reference: string;
  readonly account: readonly { readonly label: string; readonly value: string }[];
}
