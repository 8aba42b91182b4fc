import { formatDecimal } from "@exchange/money";
import type { PricingRule } from "../domain/catalogue/pricing-rule.ts";
import { type proposePrice, ruleInWords } from "../flows/prices/propose.ts";
import { listing, table } from "./table.ts";
import { timeWords } from "./times.ts";

/** A change of a price rule, as the flows return it. */
export type Change = Awaited<ReturnType<typeof proposePrice>>;

/** Amounts are text in JSON, as JSON numbers are inexact. */
const ruleJson = (rule: PricingRule) => ({
  reference: rule.reference,
  ...ruleInWords(rule),
  changeId: rule.changeId ?? null,
});

/** Returns a change as JSON has it. */
export const jsonOf = (change: Change) => ({
  ...change,
  rule: change.rule && ruleJson(change.rule),
});

const euroOf = (amount: PricingRule["fixedFeeEuro"] | null): string =>
  amount ? formatDecimal(amount) : "";

const matchesOf = (rule: PricingRule): string =>
  [rule.merchantId, rule.operation, rule.paymentMethodReference, rule.currency]
    .filter((selector) => selector !== null)
    .join(" ") || "everything";

const figuresOf = (rule: PricingRule): readonly string[] => [
  String(rule.spreadBasisPoints),
  String(rule.feeBasisPoints),
  euroOf(rule.fixedFeeEuro),
  euroOf(rule.limits.minEuro),
  euroOf(rule.limits.maxEuro),
  rule.enabled ? "enabled" : "disabled",
];
const FIGURES = ["SPREAD BP", "FEE BP", "FIXED FEE EUR", "MIN EUR", "MAX EUR", "STATE"];

/** Returns the rules in force as a table. */
export function showRules(rules: readonly PricingRule[]) {
  const rows = rules.map((rule) => [
    rule.reference,
    matchesOf(rule),
    ...figuresOf(rule),
    rule.changeId === undefined ? "files" : `change ${rule.changeId}`,
  ]);
  return {
    json: rules.map(ruleJson),
    text: table([["RULE", "MATCHES", ...FIGURES, "FROM"], ...rows]),
  };
}

/** Returns changes of rules as a table. */
export function showChanges(changes: readonly Change[]) {
  const rows = changes.map((change) => {
    const from = change.effectiveFrom ?? change.wantedFrom;
    return [
      String(change.id),
      change.reference,
      change.status.replace("_", " "),
      ...(change.rule ? figuresOf(change.rule) : ["as in the files", "", "", "", "", ""]),
      from ? timeWords(from) : "when approved",
      change.proposedBy,
      change.decidedBy ?? "",
      change.reason,
    ];
  });
  const head = [
    "ID",
    "RULE",
    "STATUS",
    ...FIGURES,
    "EFFECTIVE FROM",
    "PROPOSED BY",
    "DECIDED BY",
    "REASON",
  ];
  return { json: changes.map(jsonOf), text: listing(head, rows, "There is no such change.") };
}
