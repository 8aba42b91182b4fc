export type DepositState = "seen" | "final" | "lost";

/** Money seen at an order's payment instruction. Only final money is booked. */
export interface Deposit {
  readonly id: string;
  readonly orderId: bigint;
  readonly rail: "bank" | "chain";
  /** The network or the bank. Two of them may use the same id for different deposits. */
  readonly source: string;
  /** The rail's own id of the deposit. */
  readonly externalId: string;
  readonly assetId: number;
  readonly units: bigint;
  readonly state: DepositState;
  readonly confirmations: number;
  /** The confirmations that make it final. Null where no number decides, as for a bank. */
  readonly confirmationsRequired: number | null;
  readonly blockHash: string | null;
  /** The time at which it was first recorded in a block. Null for a bank, and before its first block. */
  readonly minedAt: Date | null;
  readonly createdAt: Date;
}

export type NewDeposit = Omit<Deposit, "createdAt" | "minedAt" | "orderId">;

/**
 * Returns whether money is on its way and cannot simply be withdrawn. The sender of coins that are in no block can
 * still spend them elsewhere. Such coins are only shown.
 */
export const isUnderWay = ({
  rail,
  state,
  blockHash,
}: Pick<Deposit, "rail" | "state" | "blockHash">): boolean =>
  state === "seen" && (rail === "bank" || blockHash !== null);
