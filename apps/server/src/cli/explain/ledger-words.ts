import type { AccountPurpose } from "../../domain/ledger/entry.ts";
import type { OrderStory } from "../../storage/orders/story.ts";
import { timeWords } from "../times.ts";
import { type AmountWords } from "./amounts.ts";

/** An account in words for readers who are not accountants, and the side that makes it more. */
interface AccountWords {
  readonly words: string;
  readonly growsBy: "debit" | "credit";
}

const ACCOUNTS: Readonly<Record<AccountPurpose, AccountWords>> = {
  card_processor: { words: "what the card processor owes us", growsBy: "debit" },
  bank_account: { words: "our bank accounts", growsBy: "debit" },
  chain_wallet: { words: "our wallets", growsBy: "debit" },
  network_fees: { words: "what our transactions cost", growsBy: "debit" },
  customer_funds: { words: "the customer's money that we hold", growsBy: "credit" },
  customer_payable: { words: "our debt to the customer", growsBy: "credit" },
  payouts_in_flight: { words: "set aside for the payout", growsBy: "credit" },
  refunds_in_flight: { words: "set aside for the refund", growsBy: "credit" },
  // An exchange credits the currency that we take and debits the one that we give.
  liquidity: { words: "our own stock", growsBy: "credit" },
  house_capital: { words: "what we put into our wallets", growsBy: "credit" },
  suspense: { words: "money of orders that a restore lost", growsBy: "credit" },
  spread_revenue: { words: "our earnings from the spread", growsBy: "credit" },
  fee_revenue: { words: "our earnings from the fee", growsBy: "credit" },
  delivery_fee_revenue: { words: "our earnings from the delivery fee", growsBy: "credit" },
};

const KINDS: Readonly<Record<string, string>> = {
  capture: "The card payment was taken",
  deposit: "A payment arrived",
  exchange: "One side of the exchange",
  payout_reserved: "The owed amount was set aside for the payout",
  payout: "The payout left",
  payout_voided: "The payout was taken back",
  payout_lost: "The chain dropped the payout that had left",
  refund_reserved: "Money was set aside for a refund",
  refund: "The refund left",
  refund_voided: "The refund was taken back",
  reversal: "An entry was undone",
};

/** Returns an entry and each of its postings as a line of text. */
export function entryWords(entry: OrderStory["entries"][number], amount: AmountWords): string[] {
  const undoes = entry.reverses === null ? "" : `, undoing ${entry.reverses}`;
  const head = `${timeWords(entry.at)}  ${KINDS[entry.kind] ?? entry.kind} (${entry.key}${undoes}):`;
  return [
    head,
    ...entry.postings.map(({ purpose, units }) => {
      const side = units.startsWith("-") ? "credit" : "debit";
      const account = ACCOUNTS[purpose];
      const words = amount({ assetId: entry.assetId, units: units.replace("-", "") });
      return `    ${words} ${side === account.growsBy ? "more" : "less"}: ${account.words}`;
    }),
  ];
}
