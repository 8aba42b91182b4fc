import type { CheckoutSession } from "@exchange/contract";

/** What the merchant's server fixed; the checkout shows it and refuses to change it. */
export interface Locks {
  readonly spendCurrency: boolean;
  readonly receiveCurrency: boolean;
  readonly amount: boolean;
  readonly method: boolean;
  readonly wallet: boolean;
}

export const locksOf = ({ lock }: CheckoutSession): Locks => ({
  spendCurrency: lock.baseCurrency !== undefined,
  receiveCurrency: lock.targetCurrency !== undefined,
  amount: lock.baseAmount !== undefined,
  method: lock.paymentMethod !== undefined,
  wallet: lock.walletAddress !== undefined,
});
