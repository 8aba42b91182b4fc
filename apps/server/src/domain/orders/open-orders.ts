/**
 * The most that orders may be for that are placed and not paid yet, in euro cents. Each holds its price
 * for a while, so together they bind as much. Undefined means no cap.
 */
export interface OpenOrderCaps {
  /** Over all merchants, for one currency spent and one received. */
  readonly pairCents: bigint | undefined;
  readonly merchantCents: bigint | undefined;
  /** For one customer, by the merchant's own reference. */
  readonly customerCents: bigint | undefined;
}

export type OpenOrderScope = "pair" | "merchant" | "customer";

export const hasCaps = (caps: OpenOrderCaps): boolean =>
  Object.values(caps).some((cap) => cap !== undefined);

/** Reads caps that are set in whole euro, with 0 for none. */
export function capsOfEuro(euro: Readonly<Record<OpenOrderScope, number>>): OpenOrderCaps {
  const cents = (amount: number) => (amount === 0 ? undefined : BigInt(amount) * 100n);
  return {
    pairCents: cents(euro.pair),
    merchantCents: cents(euro.merchant),
    customerCents: cents(euro.customer),
  };
}
