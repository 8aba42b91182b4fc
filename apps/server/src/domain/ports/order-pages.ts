/**
 * Derives the secrets of orders' pages from their ids. Each of them opens one order, whatever the database holds
 * (docs/decisions/0070-give-each-order-a-page-of-its-own.md).
 */
export interface OrderPages {
  /** Returns the secret in the address of an order's page. It stays the same until the secret keys roll. */
  secretOf(orderId: bigint): string;
  /** Returns the order of a genuine secret; undefined for any other text. */
  orderOf(text: string): bigint | undefined;
}
