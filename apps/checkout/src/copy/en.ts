import type { OrderData } from "@exchange/contract";

/** Every text of the checkout, in English, but for the words of one operation (`operations.ts`). */
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
      `This checkout has timed out. Nothing was charged. Go back to ${shop} and start checkout again.`,
    unsupported: (shop: string) =>
      `Nothing can be bought here right now. You have not been charged. Go back to ${shop}.`,
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
    announce: (spend: string, receive: string) => `You pay ${spend} and get ${receive}.`,
    ignored: (names: string) => `${names} isn't available here. Choose another.`,
    errors: {
      empty: "Enter an amount",
      invalid: "Enter an amount in numbers, like 100.50",
      precision: (code: string, decimals: number) =>
        decimals === 0
          ? `${code} amounts can't have decimal places`
          : `${code} amounts can have at most ${decimals} decimal places`,
      min: { spend: "The least you can pay is", receive: "The least you can get is" },
      max: {
        spend: "The most you can pay with this card is",
        receive: "The most you can get is",
      },
      unsupportedPair: (spend: string, receive: string) =>
        `${receive} can't be bought with ${spend}. Choose another currency.`,
      unavailable: "We can't get a price right now.",
      unreachable: "We can't get a price. Check your connection.",
    },
  },

  currency: {
    title: { spend: "What do you want to pay with?", receive: "What do you want to buy?" },
    search: "Search",
    searchHint: "Name, code or network",
    none: (query: string) => `Nothing matches "${query}".`,
    results: (count: number) => (count === 1 ? "1 currency" : `${count} currencies`),
    onNetwork: (network: string) => `${network} network`,
  },

  method: {
    legend: "Payment method",
    card: "Visa, Mastercard or American Express",
    time: (minDays: number, maxDays: number) =>
      minDays === maxDays
        ? `Takes about ${minDays} ${minDays === 1 ? "day" : "days"}`
        : `Takes about ${minDays} to ${maxDays} days`,
    fee: (fee: string) => `Fee about ${fee}`,
    unavailable: (method: string, currency: string) => `${method} isn't available for ${currency}.`,
  },

  wallet: {
    label: (coin: string) => `Your ${coin} address`,
    hint: (network: string) => `An address on the ${network} network.`,
    hintAny: "Paste the address from your wallet.",
    network: "Network",
    networkLegend: "Which network is this address on?",
    memo: "Memo or tag",
    memoOptional: "Memo or tag (optional)",
    memoHint: "Some exchanges need it to find your coins. Ask yours if you are not sure.",
    checking: "Checking the address…",
    accepted: (network: string) => `This is a valid ${network} address.`,
    errors: {
      empty: "Enter your wallet address",
      notAnAddress: (coin: string) =>
        `This doesn't look like a ${coin} address. Check for missing characters.`,
      otherNetwork: (found: string, chosen: string) =>
        `This address belongs to ${found}. You chose ${chosen}.`,
      anotherNetwork: "another network",
      network: "Choose a network",
      memo: "Enter the memo or tag",
      unreachable: "We couldn't check the address. Check your connection and try again.",
    },
  },

  card: {
    title: "Your card",
    number: "Card number",
    expiry: "Expiry date",
    expiryHint: "MM/YY",
    code: "Security code",
    codeHint: { 3: "3 digits on the back", 4: "4 digits on the front" },
    holderName: "Name on card",
    billing: "Billing address",
    line1: "Street address",
    city: "City",
    postalCode: "Postal code",
    country: "Country",
    frequency: "Frequency",
    oneTime: "One time",
    attemptsLeft: (count: number) =>
      count === 1 ? "You have 1 attempt left." : `You have ${count} attempts left.`,
    errors: {
      number: "Enter your card number",
      mistyped: "Check the card number",
      brand: (brand: string) =>
        `We don't accept ${brand}. Use Visa, Mastercard or American Express.`,
      realCard: "Real cards can't be used in the sandbox. Use one of the test cards.",
      expiry: "Enter the expiry date as MM/YY",
      expired: "This card has expired",
      code: {
        3: "Enter the 3-digit code on the back",
        4: "Enter the 4-digit code on the front",
      },
      holderName: "Enter the name on the card",
      line1: "Enter your street address",
      city: "Enter your city",
      postalCode: "Enter your postal code",
      country: "Choose your country",
    },
    testCards: {
      title: "Sandbox test cards",
      text: "Use one of these. Any name, address, code and future date will do.",
      fill: "Fill in",
      fillName: (brand: string, lastFour: string) => `Fill in ${brand} ending in ${lastFour}`,
      more: "Show more outcomes",
      fewer: "Show fewer",
    },
  },

  review: {
    title: "Check your order",
    held: (seconds: number) =>
      seconds === 1 ? "Price held for 1 second" : `Price held for ${seconds} seconds`,
    refreshing: "Getting a new price…",
    rate: "Rate",
    exchanged: "Exchanged at this rate",
    fee: { percentage: "Service fee", fixed: "Fixed fee" },
    feeOther: "Fee",
    networkFee: "Network fee",
    youGet: "You get",
    total: "Total you pay",
    to: "To",
    payWith: "Pay with",
    cardEnding: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,
    change: "Change",
    changeWallet: "Change the address",
    changeCard: "Change the card",
    memo: "Memo or tag",
    terms: (amount: string, shop: string) =>
      `When you pay, your card is charged ${amount} once, for your purchase at ${shop}. A crypto purchase can't be undone.`,
    worseTitle: "The price changed",
    worse: (before: string, after: string) => `You now get ${after} instead of ${before}.`,
    worseSpend: (before: string, after: string) => `You now pay ${after} instead of ${before}.`,
    accept: "Accept new price",
    acceptFirst: "Accept the new price before you pay.",
    placing: "Placing your order…",
    asking: "The connection was lost. Asking whether your order was placed…",
  },

  submit: {
    price_refreshed: "The price had run out, so we got a new one. Check it before you pay.",
    not_placed: "We couldn't place your order. You have not been charged. Try again.",
    order_refused:
      "We couldn't place this order. You have not been charged. Check your answers and try again.",
    wallet_refused: "The wallet address was refused. Go back and check it.",
    payment_not_sent: "Your payment didn't reach us. Try again.",
    payment_refused: "We couldn't take this card. Check the details and try again.",
    unavailable: "Something went wrong on our side. You have not been charged. Try again.",
  },

  authentication: {
    checkingTitle: "Checking with your bank",
    checking: "This takes a few seconds. Keep this window open.",
    challengeTitle: "Confirm with your bank",
    challenge: "Your bank wants to know that it is you.",
    frame: "Your bank's confirmation page",
    asking: "The connection was lost. Asking what became of your payment…",
  },

  status: {
    orderNumber: "Order number",
    transaction: "Transaction id",
    explorer: "See it on the block explorer",
    youPaid: "You pay",
    youGet: "You get",
    to: "To",
    placedAt: "Placed",
    done: "Done",
    tryCard: "Try another card",
    progress: "Progress",
    stepState: { done: "done", now: "in progress", next: "not started", failed: "stopped" },
    lost: "The connection was lost. We'll show news as soon as it is back.",
    timedOut: (shop: string) =>
      `This window has timed out. Your order goes on without it; ${shop} knows about it.`,
    reopened: (shop: string) =>
      `This checkout has already been used for an order. To place another order, go back to ${shop} and start checkout again.`,
    charged: "You have not been charged.",
    titles: {
      declined: "Your bank declined the payment",
      authentication_failed: "Your bank couldn't confirm it was you",
      in_review: "We are looking at your order",
      failed: "Your order didn't go through",
      expired: "Your order ran out of time",
      cancelled: "Your order was cancelled",
      refund_pending: "We are sending your money back",
      refunded: "Your money was sent back",
      unpaid: "Your order is waiting for payment",
      unknown: "In progress",
    },
    texts: {
      declined: "Your bank declined the payment. You have not been charged.",
      authentication_failed:
        "Your bank couldn't confirm that it was you. You have not been charged.",
      processing: (coin: string) => `Your payment went through. We are buying your ${coin}.`,
      sending: (coin: string) => `We are sending your ${coin} to your wallet.`,
      pending: "We are waiting for your payment.",
      in_review: "A person is checking it. You don't need to do anything.",
      failed: "The order has ended. You have not been charged.",
      expired: "It was not paid in time. You have not been charged.",
      cancelled: "The order has ended. You have not been charged.",
      refund_pending: "It goes back to the card you paid with.",
      refunded: "It went back to the card you paid with. Your bank may need a few days to show it.",
      unpaid: "Add a card to pay for it.",
      unknown: "We'll show news here.",
    },
    short: {
      awaiting_payment: "Waiting for payment",
      payment_pending: "Payment on its way",
      in_review: "In review",
      processing: "Buying",
      sending: "Sending",
      completed: "Completed",
      failed: "Failed",
      expired: "Expired",
      cancelled: "Cancelled",
      refund_pending: "Refund on its way",
      refunded: "Refunded",
    } satisfies Record<OrderData["status"], string>,
  },

  leave: {
    title: "Leave checkout?",
    text: "Your details will be lost.",
    stay: "Stay",
    leave: "Leave",
    finishing: "Finishing your order",
  },
} as const;
