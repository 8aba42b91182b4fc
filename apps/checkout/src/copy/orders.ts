import type { OrderData } from "@exchange/contract";

/** Texts of an order that exists: how to pay it, where it stands, how it ended. */
export const orders = {
  authentication: {
    checkingTitle: "Checking with your bank",
    checking: "This takes a few seconds. Keep this window open.",
    challengeTitle: "Confirm with your bank",
    challenge: "Your bank wants to know that it is you.",
    frame: "Your bank's confirmation page",
    asking: "The connection was lost. Asking what became of your payment…",
  },

  instructions: {
    gettingTitle: "We got your order",
    getting: "Getting the details to pay to…",
    asking: "The connection was lost. Trying again…",
    exactly: "Exactly this much",
    details: "What to enter",
    simulateTitle: "Nothing real is paid here",
    simulate:
      "In the sandbox a payment arrives when the shop's server says so. Send this with your merchant credentials; leave the amount out for an exact one, or give less or more:",
    simulateCall: "POST /v1/sandbox/deposits",
    docs: "API reference",
    bank: {
      title: (amount: string) => `Transfer ${amount}`,
      lead: "Make one transfer from your own bank account, with exactly these details.",
      amount: "Amount",
      reference: "Reference",
      referenceHint: "Write the reference into the transfer: we find your payment by it.",
      deadline: (when: string) => `Your rate holds until ${when}.`,
      after:
        "We'll show here when your transfer arrives, and the shop hears of it. You can safely close this window.",
      whatIf: "What if I send less, more, or too late?",
      less: "Less: your order waits. Send the rest with the same reference, or get all of it back.",
      more: "More: a person checks it; what is too much goes back to your account.",
      late: "Late: the rate no longer holds. A person checks it; your money is exchanged or goes back.",
    },
    crypto: {
      title: (coin: string) => `Send your ${coin} now`,
      lead: (amount: string, network: string) =>
        `Send exactly ${amount} on the ${network} network, in one go.`,
      address: "Address",
      amount: "Amount",
      network: "Network",
      memo: "Memo or tag",
      memoTitle: "Don't forget the memo or tag",
      memoText: "Without it your coins arrive, but nobody can tell that they are yours.",
      only: (coin: string, network: string) =>
        `Send only ${coin} on ${network}. Other coins will be lost.`,
      qr: (coin: string) => `QR code to send your ${coin} with a wallet app`,
      qrFailed: "The QR code couldn't be loaded. Copy the address instead.",
      left: (time: string) => `Rate held for ${time}`,
      over: "The time is up. Don't send now if you haven't.",
      after: "We'll show here when your coins arrive. You can safely close this window.",
      whatIf: "What if I send less, more, or too late?",
      less: "Less: your order waits. Send the rest to the same address in time, or get all of it back.",
      more: "More: a person checks it; what is too much goes back to you.",
      late: "Late: the rate no longer holds. A person checks it; your coins are exchanged or go back.",
      fee: "Your wallet's network fee comes on top: the full amount must arrive.",
    },
  },

  deposits: {
    title: "What we have seen",
    arrived: "Arrived",
    lost: "Didn't arrive",
    onItsWay: "On its way",
    confirmations: (count: number, required: number) => `${count} of ${required} confirmations`,
    transaction: "Transaction id",
  },

  refund: {
    title: "Where should your coins go if they have to be sent back?",
    coming: "Where should we send your coins back?",
    label: "Refund address",
    memo: "Memo or tag (if your wallet needs one)",
    save: "Save the address",
    saved: "If sent back, to",
    going: "Sent back to",
    errors: {
      empty: "Enter your refund address",
      refused: "This address was refused. Check that it is of the coin and network you sent.",
      unreachable: "We couldn't save the address. Check your connection and try again.",
    },
  },

  cancel: {
    button: "Cancel order",
    title: "Cancel this order?",
    text: {
      card: "You have not been charged.",
      other: "Do this only if you haven't sent the money. What you did send would come back.",
    },
    stay: "Keep order",
    confirm: "Cancel order",
    busy: "Cancelling…",
    refused: "The order can't be cancelled any more.",
  },

  status: {
    orderNumber: "Order number",
    transaction: "Transaction id",
    payoutReference: "Payout reference",
    pickupCode: "Pickup code",
    pickupHint: "Show this code and an identity document at the counter.",
    explorer: "See it on the block explorer",
    to: "To",
    refundOf: "Sent back",
    received: "Received",
    missing: "Still missing",
    done: "Done",
    tryCard: "Try another card",
    progress: "Progress",
    stepState: { done: "done", now: "in progress", next: "not started" },
    lost: "The connection was lost. We'll show news as soon as it is back.",
    timedOut: (shop: string) =>
      `This window has timed out. Your order goes on without it; ${shop} knows about it.`,
    reopened: (shop: string) =>
      `This checkout has already been used for an order. To place another order, go back to ${shop} and start checkout again.`,
    notCharged: "You have not been charged.",
    soon: "It usually takes a few minutes.",
    days: (days: string) => `It usually takes ${days}.`,
    onItsWay: (amount: string) => `${amount} is on its way.`,
    onItsWayTo: (amount: string, place: string) => `${amount} is on its way to ${place}.`,
    titles: {
      declined: "Your bank declined the payment",
      authentication_failed: "Your bank couldn't confirm it was you",
      in_review: "We are looking at your order",
      underpaid: "Some of your payment is missing",
      failed: "Your order didn't go through",
      expired: "Your order ran out of time",
      cancelled: "Your order was cancelled",
      refund_pending: "We are sending your money back",
      refunded: "Your money was sent back",
      unpaid: "Your order is waiting for payment",
      unknown: "In progress",
    },
    pending: {
      card: "We are waiting for your payment.",
      bank_transfer: "Your transfer is on its way. We go on as soon as it has arrived.",
      crypto: "Your coins are on their way. We go on as soon as the network has confirmed them.",
    },
    failed: {
      card_declined: "Your bank declined the payment. You have not been charged.",
      three_ds_failed: "Your bank couldn't confirm that it was you. You have not been charged.",
      other: "The order has ended, and no money of yours is held.",
    },
    expired: {
      card: "It was not paid in time. You have not been charged.",
      other:
        "No payment arrived in time. If you did send it, keep your receipt: we see it when it arrives, and it is exchanged or comes back to you.",
    },
    cancelled: {
      user_cancelled: "You ended it.",
      merchant_cancelled: "The shop ended it.",
      operator_cancelled: "It was ended by a person on our side.",
      other: "The order has ended.",
    },
    cancelledMoney: {
      card: "You have not been charged.",
      other: "If you did send the payment, it comes back to you.",
    },
    review: {
      overpaid:
        "More arrived than your order is for. A person decides with the shop: your order goes on, and what is too much goes back.",
      late_payment:
        "Your payment arrived after the time for it was up, so the rate no longer holds. A person checks it: it is exchanged or goes back to you.",
      wrong_asset:
        "Something else arrived than your order is for. A person checks it and sends it back where that is possible.",
      screening_hit:
        "Every payment is checked, and this one needs a person to look at it. Nothing is lost; we'll show news here.",
      limit_exceeded:
        "Your order is above what we pay out without a person's consent. It goes on as soon as they have looked at it.",
      no_liquidity:
        "We don't have enough of what you get right now. A person is on it: your order goes on or your money goes back.",
      delivery_rejected:
        "What we sent was rejected where it should arrive. A person is on it and may ask you, through the shop, for other details.",
      chain_reorg:
        "The network took back the block with your coins. That is rare; a person is watching until they are back.",
      bank_rejected: "The bank rejected the transfer. A person is looking at it.",
      provider_error: "A partner of ours had a fault. A person is on it; your money is safe.",
      other: "A person is checking it. You don't need to do anything.",
    },
    underpaid: (received: string, expected: string) =>
      `We received ${received} of ${expected}. Send the rest the same way, or the shop can have all of it sent back to you.`,
    reviewEmpty: "You don't need to do anything.",
    refundPending: {
      card: "It goes back to the card you paid with.",
      bank_transfer: "It goes back to the account you paid from.",
      crypto: "Your coins go back to your refund address.",
    },
    refunded: {
      card: "It went back to the card you paid with. Your bank may need a few days to show it.",
      bank_transfer:
        "It went back to the account you paid from. Your bank may need a few days to show it.",
      crypto: "Your coins went back to your refund address.",
    },
    unpaid: "Add a card to pay for it.",
    unknown: "We'll show news here.",
  },
} as const;

/** The words a table has for a reason; `other` for one it does not name. */
export const wordsFor = (
  table: Readonly<Record<string, string>> & { readonly other: string },
  reason: OrderData["statusReason"],
): string => (reason === null ? table.other : (table[reason] ?? table.other));

export type PaidBy = "card" | "bank_transfer" | "crypto";

export const paidBy = ({ payment }: OrderData): PaidBy =>
  payment.type === "crypto" || payment.type === "bank_transfer" ? payment.type : "card";
