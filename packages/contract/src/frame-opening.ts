/**
 * What the service writes into the checkout's page as JSON, since nothing in an address may be
 * believed: the element with this id says how the page was opened. A frame needs none, because the
 * browser shows it on the merchant's own origins only.
 */
export const OPENING_ID = "opening";

export type CheckoutOpening =
  /** A window of its own may be opened by anybody, but speaks to these origins only. */
  | { readonly mode: "popup"; readonly origins: readonly string[] }
  /** Posted by a page of a registered origin; the options are as the page wrote them. */
  | {
      readonly mode: "redirect";
      readonly token: string;
      readonly returnUrl: string;
      readonly options: unknown;
    };

/** What a redirected customer brings back to the shop, in the query of its `returnUrl`. */
export const RETURN_PARAMETERS = {
  outcome: "exchange_outcome",
  session: "exchange_session",
  order: "exchange_order",
} as const;

/** Whether a page's origin is registered. In a sandbox `http://localhost:*` stands for every port. */
export const isAmongOrigins = (origins: readonly string[], origin: string): boolean =>
  origins.some((registered) => {
    if (!registered.endsWith(":*")) return registered === origin;
    const host = registered.slice(0, -2);
    const port = origin.slice(host.length);
    return origin.startsWith(host) && /^(:\d{1,5})?$/.test(port);
  });
