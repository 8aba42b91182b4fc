/** A mined payment, by the word of enough endpoints and of all own nodes. */
export interface MinedPayment {
  readonly height: bigint;
  readonly isSuccess: boolean;
  /** The units that it moved from the wallet to the recipient. */
  readonly units: bigint;
  readonly networkFee: bigint;
}
