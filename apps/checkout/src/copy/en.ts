/**
 * Texts of the first screen and of the frame around every screen, in English. Those of later screens
 * are loaded with them: `steps.ts` and `orders.ts`; `operations.ts` has what differs by operation.
 */
export const en = {
  checkout: "Checkout",
  sandbox: "Sandbox",
  sandboxNote: "Sandbox: no real money moves here.",
  close: "Close checkout",
  back: "Back",
  continue: "Continue",
  tryAgain: "Try again",
  copy: "Copy",
  copied: "Copied",
  theShop: "the shop",
  step: (number: number, total: number) => `Step ${number} of ${total}`,
  setBy: (shop: string) => `Set by ${shop}`,
  backTo: (shop: string) => `Back to ${shop}`,
  summaryTitle: "Check these answers",

  operation: {
    legend: "What do you want to do?",
    unavailable: (name: string) => `${name} isn't possible here right now.`,
    unreachable: "We couldn't open that. Check your connection and try again.",
  },

  boot: {
    loading: "Loading checkout",
    slow: "Still loading",
    unreachableTitle: "We can't reach checkout",
    unreachable: "Check your connection and try again.",
  },

  stopped: {
    title: "Checkout can't start",
    expiredTitle: "This checkout has timed out",
    link_invalid: (shop: string) =>
      `This checkout link isn't valid. Go back to ${shop} to start again.`,
    host_lost: "This window lost touch with the shop. Close it and go back to the shop's tab.",
    token_unavailable: (shop: string) =>
      `We couldn't start checkout. Go back to ${shop} and try again.`,
    token_invalid: (shop: string) =>
      `This checkout link isn't valid. Go back to ${shop} to start again.`,
    token_expired: (shop: string) =>
      `This checkout has timed out. If you placed an order, it goes on by itself and ${shop} knows about it. If not, nothing was charged: go back to ${shop} and start again.`,
    unsupported: (shop: string) =>
      `Nothing can be exchanged here right now. You have not been charged. Go back to ${shop}.`,
  },

  used: {
    title: "This checkout was already used",
    text: (shop: string) =>
      `This checkout has already been used for an order. To place another order, go back to ${shop} and start checkout again.`,
    see: (orderId: number) => `See order ${orderId}`,
  },

  amount: {
    hint: (min: string, max: string) => `From ${min} to ${max}`,
    empty: "Enter an amount to see what you get.",
    loading: "Getting the price…",
    change: (code: string, label: string) => `${code}, change the currency for "${label}"`,
    network: (network: string) => `on ${network}`,
    feesIncluded: (fees: string) => `Includes fees of ${fees}`,
    noFees: "No fees",
    refreshes: "The price is refreshed every few seconds.",
    ignored: (names: string) => `${names} isn't available here. Choose another.`,
    errors: {
      empty: "Enter an amount",
      invalid: "Enter an amount in numbers, like 100.50",
      precision: (code: string, decimals: number) =>
        decimals === 0
          ? `${code} amounts can't have decimal places`
          : `${code} amounts can have at most ${decimals} decimal places`,
      min: { receive: "The least you can get is" },
      max: { receive: "The most you can get is" },
      unsupportedPair: (spend: string, receive: string) =>
        `${spend} can't be exchanged for ${receive}. Choose another currency.`,
      unavailable: "We can't get a price right now.",
      unreachable: "We can't get a price. Check your connection.",
    },
  },

  currency: {
    search: "Search",
    searchHint: "Name, code or network",
    none: (query: string) => `Nothing matches "${query}".`,
    results: (count: number) => (count === 1 ? "1 currency" : `${count} currencies`),
    onNetwork: (network: string) => `${network} network`,
  },

  leave: {
    title: "Leave checkout?",
    text: "Your details will be lost.",
    stay: "Stay",
    leave: "Leave",
    finishing: "Finishing your order",
  },
} as const;
