import type { OperationType } from "@exchange/contract";

/** Words of the screens after the first that differ by what the customer does. */
interface OperationSteps {
  readonly deliveryTitle: string;
  readonly payoutTitle: string;
  readonly walletTitle: (coin: string) => string;
  readonly warning: string;
  /** What the order's steps are called while it is followed. */
  readonly steps: readonly [string, string, string, string];
  readonly placedTitle: string;
  readonly doneTitle: (code: string) => string;
  readonly converting: (code: string) => string;
  readonly sending: (code: string) => string;
  readonly terms: (amount: string, shop: string) => string;
}

const toWallet = {
  walletTitle: (coin: string) => `Where should we send your ${coin}?`,
  doneTitle: (coin: string) => `Your ${coin} is on its way`,
  sending: (coin: string) => `We are sending your ${coin} to your wallet.`,
} as const;

const toAccount = {
  walletTitle: (coin: string) => `Where should we send your ${coin}?`,
  sending: (code: string) => `The ${code} are being paid out.`,
} as const;

const OPERATIONS: Readonly<Record<OperationType, OperationSteps>> = {
  B: {
    ...toWallet,
    deliveryTitle: "How should we pay you?",
    payoutTitle: "Where should we pay you?",
    warning: "",
    steps: ["Payment", "Buying", "Sending", "Done"],
    placedTitle: "We got your order",
    converting: (coin) => `Your payment went through. We are buying your ${coin}.`,
    terms: (amount, shop) =>
      `You pay ${amount} once, for your purchase at ${shop}. A crypto purchase can't be undone.`,
  },
  S: {
    ...toAccount,
    deliveryTitle: "How should we pay you?",
    payoutTitle: "Where should we pay you?",
    warning: "We pay exactly where you say here. A payout to somebody else can't be undone.",
    steps: ["Deposit", "Selling", "Paying out", "Done"],
    placedTitle: "We got your order",
    doneTitle: (code) => `Your ${code} are on their way`,
    converting: () => "Your coins arrived. We are selling them.",
    terms: (amount, shop) =>
      `You send ${amount} in one go, for your sale at ${shop}. Once your coins have arrived, a sale can't be undone.`,
  },
  CC: {
    ...toWallet,
    deliveryTitle: "How should we pay you?",
    payoutTitle: "Where should we pay you?",
    warning: "",
    steps: ["Deposit", "Swapping", "Sending", "Done"],
    placedTitle: "We got your order",
    converting: () => "Your coins arrived. We are swapping them.",
    terms: (amount, shop) =>
      `You send ${amount} in one go, for your swap at ${shop}. Once your coins have arrived, a swap can't be undone.`,
  },
  FF: {
    ...toAccount,
    deliveryTitle: "How should they get the money?",
    payoutTitle: "Who gets the money?",
    warning: "Transfers can't be changed after you pay.",
    steps: ["Payment", "Converting", "Paying out", "Done"],
    placedTitle: "We got your order",
    doneTitle: (code) => `The ${code} are on their way`,
    converting: () => "Your payment went through. We are converting it.",
    terms: (amount, shop) =>
      `You pay ${amount} once, for your transfer at ${shop}. It can't be changed after you pay.`,
  },
};

export const operationSteps = (operation: OperationType): OperationSteps => OPERATIONS[operation];
