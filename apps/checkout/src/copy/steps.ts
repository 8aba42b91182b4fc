/** "about 1 to 2 days", for how long a payout takes. */
export function daysInWords(minDays: number, maxDays: number): string {
  const most = `${maxDays} ${maxDays === 1 ? "day" : "days"}`;
  if (minDays === 0) return `up to ${most}`;
  return minDays === maxDays ? `about ${most}` : `about ${minDays} to ${most}`;
}

/** Texts of the screens between the amount and the order. */
export const steps = {
  method: {
    title: "How do you want to pay?",
    legend: "Payment method",
    card: "Visa, Mastercard or American Express",
    bank: "We show you the account to transfer to. The rate holds for 3 days.",
  },

  delivery: {
    legend: "Payout method",
    kinds: {
      bank_transfer: "To a bank account",
      card_push: "To a Visa or Mastercard debit card",
      cash_pickup: "In cash, with a pickup code",
      mobile_money: "To a mobile phone's wallet",
    } as Readonly<Record<string, string>>,
    soon: "Usually arrives the same day",
    time: (days: string) => `Takes ${days}`,
    fee: (fee: string) => `Fee ${fee}`,
    free: "No payout fee",
    percentAndFixed: (percent: string, fixed: string) => `${percent} and ${fixed}`,
  },

  wallet: {
    label: (coin: string) => `Your ${coin} address`,
    hint: (network: string) => `An address on the ${network} network.`,
    hintAny: "Paste the address from your wallet.",
    warning: (network: string) =>
      `Crypto payments can't be undone. Check that this is your ${network} address.`,
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

  refund: {
    legend: "If we have to send your coins back",
    text: "If the exchange can't go through, your coins return to this address. You can also give it later.",
    label: (coin: string) => `${coin} refund address (optional)`,
  },

  payout: {
    legend: "Account details",
    cardLegend: "Debit card",
    cardHint: "The number goes to the card processor and is not kept here.",
    kept: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,
    another: "Use another card",
    hints: {
      iban: "Spaces don't matter.",
      bankAccount: "Spaces don't matter.",
      sortCode: "6 digits, like 12-34-56",
      ukAccountNumber: "8 digits",
      usRoutingNumber: "9 digits",
      canadianInstitution: "3 digits",
      canadianTransit: "5 digits",
      clabe: "18 digits",
      phone: "Like +44 7700 900123",
      pickupCity: "Where the cash will be picked up",
    } as Readonly<Record<string, string>>,
    holder: {
      bank_transfer: "As the bank knows it",
      card_push: "As it stands on the card",
      cash_pickup: "As it stands on the identity document",
    } as Readonly<Record<string, string>>,
    errors: {
      empty: (label: string) => `Enter the ${label}`,
      invalid: (label: string) => `Check the ${label}. Something is missing or too much.`,
      checksum: "This IBAN has a typing error. Compare it with your bank's, digit by digit.",
      refused: "This card can't be paid out to. Check the details or use another card.",
      unreachable: "We couldn't reach the card processor. Check your connection and try again.",
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
    payoutFee: "Payout fee",
    total: { pay: "Total you pay", send: "Total you send" },
    to: "To",
    payWith: "Pay with",
    paidBy: "Paid out by",
    refundTo: "If sent back, to",
    cardEnding: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,
    memo: "Memo or tag",
    worseTitle: "The price changed",
    worse: (before: string, after: string) => `You now get ${after} instead of ${before}.`,
    worseSpend: (before: string, after: string) => `You now pay ${after} instead of ${before}.`,
    accept: "Accept new price",
    acceptFirst: "Accept the new price before you go on.",
    button: {
      card: (amount: string) => `Pay ${amount}`,
      bank_transfer: (amount: string) => `Continue to transfer ${amount}`,
      crypto: (amount: string) => `Continue to send ${amount}`,
    },
    placing: "Placing your order…",
    asking: "The connection was lost. Asking whether your order was placed…",
  },

  submit: {
    price_refreshed: "The price had run out, so we got a new one. Check it before you go on.",
    not_placed: "We couldn't place your order. You have not been charged. Try again.",
    order_refused:
      "We couldn't place this order. You have not been charged. Check your answers and try again.",
    wallet_refused: "The wallet address was refused. Go back and check it.",
    payout_refused: "The payout details were refused. Go back and check them.",
    payment_not_sent: "Your payment didn't reach us. Try again.",
    payment_refused: "We couldn't take this card. Check the details and try again.",
    no_instructions: "We couldn't get the details to pay to. Your order stands. Try again.",
    unavailable: "Something went wrong on our side. You have not been charged. Try again.",
  },
} as const;
