import type { OrderStory } from "../../storage/orders/story.ts";
import { timeWords } from "../times.ts";
import { type AmountWords } from "./amounts.ts";

/** Each account in words for readers who are not accountants. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  card_processor: "what the card processor owes us",
  bank_account: "our bank accounts",
  chain_wallet: "our wallets",
  customer_funds: "the customer's money that we hold",
  customer_payable: "our debt to the customer",
  payouts_in_flight: "set aside for the payout",
  refunds_in_flight: "set aside for the refund",
  liquidity: "our own stock",
  network_fees: "what our transactions cost",
  house_capital: "what we put into our wallets",
  suspense: "money of orders that a restore lost",
  spread_revenue: "our earnings from the spread",
  fee_revenue: "our earnings from the fee",
  delivery_fee_revenue: "our earnings from the delivery fee",
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

/** Liability and income accounts grow by credits. All others grow by debits. */
const GROWS_BY_CREDIT = new Set([
  "customer_funds",
  "customer_payable",
  "payouts_in_flight",
  "refunds_in_flight",
  "spread_revenue",
  "fee_revenue",
  "delivery_fee_revenue",
]);

/** Returns an entry and each of its postings as a line of text. */
export function entryWords(entry: OrderStory["entries"][number], amount: AmountWords): string[] {
  const undoes = entry.reverses === null ? "" : `, undoing ${entry.reverses}`;
  const head = `${timeWords(entry.at)}  ${KINDS[entry.kind] ?? entry.kind} (${entry.key}${undoes}):`;
  return [
    head,
    ...entry.postings.map(({ purpose, units }) => {
      const isDebit = !units.startsWith("-");
      const grows = isDebit !== GROWS_BY_CREDIT.has(purpose);
      const words = amount({ assetId: entry.assetId, units: units.replace("-", "") });
      return `    ${words} ${grows ? "more" : "less"}: ${ACCOUNTS[purpose] ?? purpose}`;
    }),
  ];
}
