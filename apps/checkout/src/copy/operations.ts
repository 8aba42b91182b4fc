import type { OperationType } from "@exchange/contract";

/** Words that differ by what the customer does. Operations without screens yet have none here. */
interface OperationCopy {
  readonly title: (coin: string) => string;
  readonly spendLabel: string;
  readonly receiveLabel: string;
  readonly methodTitle: string;
  readonly walletTitle: (coin: string) => string;
  readonly walletWarning: (network: string) => string;
  readonly payButton: (amount: string) => string;
  readonly placedTitle: string;
  readonly doneTitle: (coin: string) => string;
  readonly done: (amount: string, address: string) => string;
  readonly steps: readonly [string, string, string, string];
}

const buy: OperationCopy = {
  title: (coin) => `Buy ${coin}`,
  spendLabel: "You pay",
  receiveLabel: "You get",
  methodTitle: "How do you want to pay?",
  walletTitle: (coin) => `Where should we send your ${coin}?`,
  walletWarning: (network) =>
    `Crypto payments can't be undone. Check that this is your ${network} address.`,
  payButton: (amount) => `Pay ${amount}`,
  placedTitle: "We got your order",
  doneTitle: (coin) => `Your ${coin} is on its way`,
  done: (amount, address) => `${amount} is on its way to ${address}.`,
  steps: ["Payment", "Buying", "Sending", "Done"],
};

const operations: Partial<Record<OperationType, OperationCopy>> = { B: buy };

export const operationCopy = (operation: OperationType): OperationCopy =>
  operations[operation] ?? buy;
