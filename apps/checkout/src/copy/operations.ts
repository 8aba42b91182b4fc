import type { OperationType } from "@exchange/contract";

/** What the first screen calls an operation; the words of later screens are in `operation-steps.ts`. */
interface OperationCopy {
  readonly name: string;
  readonly title: (spend: string, receive: string) => string;
  readonly spendLabel: string;
  readonly receiveLabel: string;
  readonly least: string;
  readonly most: string;
  readonly announce: (spend: string, receive: string) => string;
  readonly pickSpend: string;
  readonly pickReceive: string;
}

const paying = {
  spendLabel: "You pay",
  least: "The least you can pay this way is",
  most: "The most you can pay this way is",
  pickSpend: "What do you want to pay with?",
} as const;

const sending = {
  spendLabel: "You send",
  receiveLabel: "You get",
  least: "The least you can send this way is",
  most: "The most you can send this way is",
  announce: (spend: string, receive: string) => `You send ${spend} and get ${receive}.`,
} as const;

const OPERATIONS: Readonly<Record<OperationType, OperationCopy>> = {
  B: {
    ...paying,
    name: "Buy",
    title: (_, receive) => `Buy ${receive}`,
    receiveLabel: "You get",
    announce: (spend, receive) => `You pay ${spend} and get ${receive}.`,
    pickReceive: "What do you want to buy?",
  },
  S: {
    ...sending,
    name: "Sell",
    title: (spend) => `Sell ${spend}`,
    pickSpend: "What do you want to sell?",
    pickReceive: "Which currency do you want to get?",
  },
  CC: {
    ...sending,
    name: "Swap",
    title: (spend, receive) => `Swap ${spend} for ${receive}`,
    pickSpend: "What do you want to swap?",
    pickReceive: "What do you want to get?",
  },
  FF: {
    ...paying,
    name: "Transfer",
    title: (spend, receive) => `Exchange ${spend} to ${receive}`,
    receiveLabel: "They get",
    announce: (spend, receive) => `You pay ${spend} and they get ${receive}.`,
    pickReceive: "Which currency should they get?",
  },
};

export const operationCopy = (operation: OperationType): OperationCopy => OPERATIONS[operation];
