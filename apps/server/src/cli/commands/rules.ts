import { formatDecimal, parseDecimal } from "@exchange/money";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { describeMoney } from "../../domain/rules/limits.ts";
import type { RuleResult } from "../../domain/rules/result.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import { explainRules } from "../../flows/quotes/explain-rules.ts";
import { findExchange, type NamedExchange } from "../../flows/quotes/name-exchange.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { waitForPrices } from "../open-rates-on-demand.ts";
import { OPERATION_WORDS, operationOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";

const NAME = "a reference such as btc, or a code such as BTC";

/** The options that name an exchange. */
export const EXCHANGE_OPTIONS: Command["options"] = {
  client: { value: "ID", required: true, description: "The merchant's client id." },
  operation: { value: "NAME", required: true, description: OPERATION_WORDS },
  spend: { value: "CURRENCY", required: true, description: `The currency spent: ${NAME}.` },
  receive: { value: "CURRENCY", required: true, description: `The currency received: ${NAME}.` },
  amount: { value: "AMOUNT", required: true, description: "The amount spent." },
  receiving: { description: "The amount is the one received instead." },
  method: {
    value: "REF",
    required: true,
    description: "The payment method, such as card, sepa or crypto.",
  },
  delivery: { value: "REF", description: "The delivery method. Default: the cheapest." },
  country: {
    value: "CC",
    description: "The customer's country. Default: no rule on countries is checked.",
  },
};

export const rulesExplain: Command = {
  name: "rules explain",
  summary: "Explain why an exchange is refused or how it is priced, rule by rule.",
  options: EXCHANGE_OPTIONS,
  example:
    "rules explain --client client_dev_ABCDEFGHIJKLMNOP --operation buy --spend eur --receive btc --amount 250 --method card --country DE",
  run: (context, input) => {
    const named = exchangeOf(input);
    return withFlows(context, async (deps) => {
      const wish = findExchange(deps.catalogue(), named);
      await waitForPrices(deps.rates, codesOf(deps.catalogue(), wish));
      const { looks, verdict } = explainRules(deps, wish);
      const rows = looks.map((look) => [
        look.verdict.toUpperCase(),
        look.rule,
        look.subject,
        look.figures,
        look.why,
      ]);
      const head = ["VERDICT", "RULE", "LOOKED AT", "FIGURES", "WHY"];
      const text = `${table([head, ...rows])}\n\n${sentenceOf(verdict)}`;
      return { json: { looks, ...showVerdict(verdict) }, text };
    });
  },
};

/** Reads the exchange that the options name. */
export function exchangeOf(input: CommandInput): NamedExchange {
  const amount = input.required("amount");
  const exact = parseDecimal(amount);
  if (!exact || exact.units <= 0n)
    throw new UsageError("--amount must be an amount above zero, such as 250.");
  const operation = operationOf(input);
  if (operation === undefined) throw new UsageError(`--operation is missing. ${OPERATION_WORDS}`);
  return {
    merchantId: input.required("client"),
    operation,
    spend: input.required("spend"),
    receive: input.required("receive"),
    method: input.required("method"),
    delivery: input.one("delivery"),
    countryCode: input.one("country"),
    amount,
    side: input.hasFlag("receiving") ? "receive" : "spend",
  };
}

export const codesOf = (catalogue: Catalogue, wish: ExchangeWish): readonly string[] =>
  [wish.spendCurrencyId, wish.receiveCurrencyId].map((id) => catalogue.requireCurrency(id).code);

export function sentenceOf(verdict: RuleResult<Quote>): string {
  if (!verdict.ok) return `Refused: ${verdict.refusal.code}. ${verdict.refusal.message}`;
  const quote = verdict.value;
  const fees = [...quote.fees, { type: "delivery", amount: quote.deliveryFee }]
    .filter(({ amount }) => amount.units > 0n)
    .map(({ type, amount }) => `${type} ${describeMoney(amount)}`);
  return `Offered: ${describeMoney(quote.spend)} for ${describeMoney(quote.receive)} at ${formatDecimal(quote.rate)}; fees ${fees.join(", ") || "none"}; spread ${describeMoney(quote.spread)}.`;
}

export function showVerdict(verdict: RuleResult<Quote>) {
  if (!verdict.ok) {
    const { code, message, limits } = verdict.refusal;
    const bound = limits && {
      min: describeMoney(limits.min),
      max: describeMoney(limits.max),
      boundBy: limits.boundBy,
    };
    return { offered: false, code, message, ...(bound ? { limits: bound } : {}) };
  }
  const quote = verdict.value;
  return {
    offered: true,
    spend: describeMoney(quote.spend),
    receive: describeMoney(quote.receive),
    rate: formatDecimal(quote.rate),
    midRate: formatDecimal(quote.midRate),
    transactionFee: describeMoney(quote.transactionFee),
    deliveryFee: describeMoney(quote.deliveryFee),
    spread: describeMoney(quote.spread),
  };
}
