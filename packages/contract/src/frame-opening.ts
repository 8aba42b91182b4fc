/**
 * Id of the element in which the service tells the checkout's page, as JSON, how it was opened. The
 * page cannot trust its address for that. A frame has no such element: the browser shows it on the
 * merchant's own origins only.
 */
export const OPENING_ID = "opening";

/**
 * Id of the element with the operator, as JSON, in every page of an installation that names one. A page whose session cannot
 * be read still says who operates it and where to get help.
 */
export const OPERATOR_ID = "operator";

export type CheckoutOpening =
  /** The page may not show the checkout, which reports the reason to it and ends. */
  | {
      readonly mode: "refused";
      readonly code: "unknown_client" | "origin_not_allowed";
      /** The command that mends it, for the developer. Only sandboxes send it. */
      readonly hint?: string;
    }
  /** Any page may open the window, but it speaks to these origins only. */
  | { readonly mode: "popup"; readonly origins: readonly string[] }
  /** A page of a registered origin posted it; the options are unchecked. */
  | {
      readonly mode: "redirect";
      readonly token: string;
      readonly returnUrl: string;
      readonly options: unknown;
    };

/** Query parameters that a redirect adds to the shop's `returnUrl`. */
export const RETURN_PARAMETERS = {
  outcome: "exchange_outcome",
  session: "exchange_session",
  order: "exchange_order",
} as const;

/** Whether a page's origin is registered. In a sandbox `http://localhost:*` matches every port. */
export const isAmongOrigins = (origins: readonly string[], origin: string): boolean =>
  origins.some((registered) => {
    if (!registered.endsWith(":*")) return registered === origin;
    const host = registered.slice(0, -2);
    const port = origin.slice(host.length);
    return origin.startsWith(host) && /^(:\d{1,5})?$/.test(port);
  });
