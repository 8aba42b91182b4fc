// #region return
const SENTENCES = new Map([
  ["placed", "Thank you. Your order was placed."],
  ["closed", "Checkout was closed without a new order. Nothing was charged."],
  ["failed", "Checkout could not be finished. You can try again."],
]);

export interface ReturnedCustomer {
  readonly sentence: string;
  readonly sessionId?: string;
  readonly orderId?: string;
}

/**
 * What the address says that a customer comes back to. It is a hint for the page's words: anybody can
 * type it. Goods are released only when the signed webhook says so.
 */
export function readReturn(query: URLSearchParams): ReturnedCustomer {
  const sentence = SENTENCES.get(query.get("exchange_outcome") ?? "");
  const sessionId = query.get("exchange_session") ?? "";
  const orderId = query.get("exchange_order") ?? "";
  return {
    sentence: sentence ?? "There is no checkout to come back from.",
    ...(/^[\w.:-]{1,128}$/.test(sessionId) && { sessionId }),
    ...(/^\d{1,16}$/.test(orderId) && { orderId }),
  };
}
// #endregion
