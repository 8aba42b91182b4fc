import type { Outgoing } from "@exchange/contract";
import type {
  PriceBook,
  PriceChangeData,
  PricePreviewData,
  PriceRule,
} from "@exchange/contract/admin";
import { formatDecimal, type Money, toDecimal } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { RuleResult } from "../../domain/rules/result.ts";
import type { PricePreview } from "../../flows/prices/preview.ts";
import { type ListedPriceChanges, mayApproveChange } from "../../flows/prices/read-prices.ts";
import { toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import type { AdminCaller } from "./callers.ts";

const presentRule = (rule: PricingRule): Outgoing<PriceRule> => {
  const { minEuro, maxEuro } = rule.limits;
  return {
    reference: rule.reference,
    merchantId: rule.merchantId,
    operation: rule.operation,
    paymentMethod: rule.paymentMethodReference,
    currency: rule.currency,
    spreadBasisPoints: rule.spreadBasisPoints,
    feeBasisPoints: rule.feeBasisPoints,
    fixedFeeEuro: formatDecimal(rule.fixedFeeEuro),
    minEuro: minEuro ? formatDecimal(minEuro) : "0",
    maxEuro: maxEuro ? formatDecimal(maxEuro) : "",
    enabled: rule.enabled,
    changeId: rule.changeId ?? null,
  };
};

export const presentBook = (
  catalogue: Catalogue,
  { rules, now }: { readonly rules: readonly PricingRule[]; readonly now: Date },
): Outgoing<PriceBook> => ({
  businessTime: toUnixSeconds(now),
  rules: rules.map(presentRule),
  currencies: catalogue.currencies
    .filter(({ enabled }) => enabled)
    .map(({ reference, kind }) => ({ reference, isCrypto: kind === "crypto" })),
  paymentMethods: catalogue.paymentMethods
    .filter(({ enabled }) => enabled)
    .map(({ reference }) => reference),
  countries: catalogue.countries.filter(({ enabled }) => enabled).map(({ code }) => code),
});

/** Returns a change with the actions that its reader may take. */
export function presentPriceChange(
  change: ListedPriceChanges["items"][number],
  { by, may }: Pick<AdminCaller, "by" | "may">,
): Outgoing<PriceChangeData> {
  const { status, rule } = change;
  const mayChange = may("prices.change");
  return {
    changeId: change.id,
    reference: change.reference,
    status,
    rule: rule && presentRule(rule),
    undoes: change.undoes,
    reason: change.reason,
    effectiveFrom: unixSecondsOrNull(change.effectiveFrom ?? change.wantedFrom),
    proposedBy: change.proposedBy,
    proposedAt: toUnixSeconds(change.proposedAt),
    decidedBy: change.decidedBy,
    decidedAt: unixSecondsOrNull(change.decidedAt),
    decidedWhy: change.decidedWhy,
    mayApprove: mayChange && mayApproveChange(change, by),
    mayReject: mayChange && status === "proposed",
    mayUndo: mayChange && change.isLast,
  };
}

export const presentPreview = ({
  at,
  before,
  after,
}: PricePreview): Outgoing<PricePreviewData> => ({
  at: toUnixSeconds(at),
  before: presentVerdict(before),
  after: presentVerdict(after),
});

function presentVerdict(verdict: RuleResult<Quote>): Outgoing<PricePreviewData>["before"] {
  if (!verdict.ok) {
    const { code, message } = verdict.refusal;
    return { code, message, quote: null };
  }
  const quote = verdict.value;
  return {
    code: "OK",
    message: "",
    quote: {
      spend: presentExact(quote.spend),
      receive: presentExact(quote.receive),
      rate: formatDecimal(quote.rate),
      midRate: formatDecimal(quote.midRate),
      transactionFee: presentExact(quote.transactionFee),
      deliveryFee: presentExact(quote.deliveryFee),
      spread: presentExact(quote.spread),
      reference: quote.evidence?.rule?.reference ?? "",
    },
  };
}

const presentExact = (amount: Money) => ({
  amount: formatDecimal(toDecimal(amount)),
  currency: amount.asset.code,
});
