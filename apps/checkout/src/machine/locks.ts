import type { CheckoutSession } from "@exchange/contract";

/** The terms that the merchant's server locked. The checkout shows them and does not change them. */
export interface Locks {
  readonly spendCurrency: boolean;
  readonly receiveCurrency: boolean;
  readonly amount: boolean;
  readonly method: boolean;
  readonly wallet: boolean;
  readonly memo: boolean;
}

export const locksOf = ({ lock }: CheckoutSession): Locks => ({
  spendCurrency: lock.baseCurrency !== undefined,
  receiveCurrency: lock.targetCurrency !== undefined,
  amount: lock.baseAmount !== undefined,
  method: lock.paymentMethod !== undefined,
  wallet: lock.walletAddress !== undefined,
  memo: lock.memo !== undefined || lock.withoutMemo === true,
});
