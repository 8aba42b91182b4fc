import { formatDecimal } from "@exchange/money";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { RuleDraft } from "../../domain/prices/check-rule.ts";
import { approvePrice, rejectPrice } from "../../flows/prices/decide.ts";
import { previewPrice } from "../../flows/prices/preview.ts";
import { proposePrice, undoPrice } from "../../flows/prices/propose.ts";
import {
  listPrices,
  PRICE_LISTS,
  type PriceList,
  readPricesInForce,
} from "../../flows/prices/read-prices.ts";
import { findExchange } from "../../flows/quotes/name-exchange.ts";
import { type Command, type CommandInput, type CommandOption, UsageError } from "../command.ts";
import { waitForPrices } from "../open-rates-on-demand.ts";
import { AS, LIMIT, limitOf, operatorOf } from "../operator-options.ts";
import { type Change, jsonOf, showChanges, showRules } from "../price-words.ts";
import { timeWords } from "../times.ts";
import { withFlows } from "../with-flows.ts";
import { codesOf, EXCHANGE_OPTIONS, exchangeOf, sentenceOf, showVerdict } from "./rules.ts";

const CHANGE: CommandOption = {
  value: "ID",
  required: true,
  description: "The id of the change, as `exchange prices list` shows it.",
};
const WHY: CommandOption = {
  value: "TEXT",
  description: "Why, for the log of changes. 3 to 500 characters.",
};
const REASON: CommandOption = { ...WHY, required: true };
const LISTS = Object.keys(PRICE_LISTS) as PriceList[];

export const pricesList: Command = {
  name: "prices list",
  summary: "List the price rules in force, or their changes.",
  options: {
    changes: { value: "WHICH", description: `Changes instead of rules: ${LISTS.join(", ")}.` },
    limit: LIMIT,
  },
  example: "prices list --changes proposed",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const text = input.one("changes");
      if (text === undefined) return showRules(readPricesInForce(deps));
      const which = LISTS.find((name) => name === text);
      if (!which) throw new UsageError(`--changes must be one of ${LISTS.join(", ")}.`);
      const page = { which, olderThan: null, limit: limitOf(input) };
      return showChanges((await listPrices(deps, page)).items);
    }),
};

export const pricesPropose: Command = {
  name: "prices propose",
  summary: "Propose new values for a price rule, or a new rule. Another person must approve it.",
  options: {
    rule: { value: "REF", required: true, description: "The rule, or the name of a new one." },
    spread: { value: "POINTS", description: "The margin in the rate, in basis points." },
    fee: { value: "POINTS", description: "The percentage fee, in basis points." },
    "fixed-fee": { value: "EURO", description: "The fixed fee." },
    min: { value: "EURO", description: "The minimum." },
    max: { value: "EURO", description: "The maximum. Figures left out stay as they are." },
    disable: { description: "The rule no longer applies." },
    enable: { description: "A disabled rule applies again." },
    client: { value: "ID", description: "For a new rule: the merchant that it is for." },
    operation: { value: "NAME", description: "For a new rule: the operation that it is for." },
    method: { value: "REF", description: "For a new rule: the payment method that it is for." },
    currency: { value: "REF", description: "For a new rule: the currency that it is for." },
    from: {
      value: "TIME",
      description: "In UTC, such as 2026-12-01 or 2026-12-01T09:00Z. Default: when it is approved.",
    },
    reason: REASON,
    as: AS,
  },
  argument: "rule",
  example: "prices propose card-buy --fee 250 --from 2026-12-01 --reason 'cheaper acquirer'",
  run: (context, input) => {
    const effectiveFrom = timeOf(input);
    return withFlows(context, async (deps) => {
      const reference = input.required("rule");
      const rules = readPricesInForce(deps, effectiveFrom);
      const current = rules.find((rule) => rule.reference === reference);
      const change = await proposePrice(deps, {
        draft: draftOf(input, current),
        effectiveFrom,
        reason: input.required("reason"),
        by: operatorOf(context, input),
      });
      return showProposal(change);
    });
  },
};

export const pricesPreview: Command = {
  name: "prices preview",
  summary: "Price an exchange without and with a proposed change, at current market prices.",
  options: { change: CHANGE, ...EXCHANGE_OPTIONS },
  argument: "change",
  example:
    "prices preview 12 --client client_dev_ABCDEFGHIJKLMNOP --operation buy --spend eur --receive btc --amount 250 --method card",
  run: (context, input) => {
    const named = exchangeOf(input);
    return withFlows(context, async (deps) => {
      const wish = findExchange(deps.catalogue(), named);
      await waitForPrices(deps.rates, codesOf(deps.catalogue(), wish));
      const previewed = { changeId: changeIdOf(input) };
      const { at, before, after } = await previewPrice(deps, { previewed, wish });
      const text = `With the rules of ${timeWords(at)}.\n\nWithout the change: ${sentenceOf(before)}\nWith the change: ${sentenceOf(after)}`;
      return { json: { at, before: showVerdict(before), after: showVerdict(after) }, text };
    });
  },
};

export const pricesApprove = decision("approve", {
  summary: "Approve a price change that another person proposed.",
  reason: WHY,
  decide: approvePrice,
});

export const pricesReject = decision("reject", {
  summary: "Reject a proposed price change, or withdraw your own.",
  reason: REASON,
  decide: rejectPrice,
});

export const pricesUndo: Command = {
  name: "prices undo",
  summary: "Propose to revert a price change. Another person must approve it.",
  options: { change: CHANGE, reason: REASON, as: AS },
  argument: "change",
  example: "prices undo 12 --reason 'the offer has ended'",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const by = operatorOf(context, input);
      const reason = input.required("reason");
      return showProposal(await undoPrice(deps, { changeId: changeIdOf(input), reason, by }));
    }),
};

function decision(verb: "approve" | "reject", { summary, reason, decide }: Decision): Command {
  return {
    name: `prices ${verb}`,
    summary,
    options: { change: CHANGE, reason, as: AS },
    argument: "change",
    example: `prices ${verb} 12 --reason 'agreed in the weekly meeting'`,
    run: (context, input) =>
      withFlows(context, async (deps) => {
        const change = await decide(deps, {
          changeId: changeIdOf(input),
          reason: input.one("reason"),
          by: operatorOf(context, input),
        });
        const from = change.effectiveFrom;
        const then = from === null ? "was rejected" : `takes effect at ${timeWords(from)}`;
        return {
          json: jsonOf(change),
          text: `Price change ${change.id} of ${change.reference} ${then}.`,
        };
      }),
  };
}

interface Decision {
  readonly summary: string;
  readonly reason: CommandOption;
  readonly decide: typeof approvePrice;
}

const showProposal = (change: Change) => ({
  json: jsonOf(change),
  text: `Price change ${change.id} of ${change.reference} waits for another person: exchange prices approve ${change.id}`,
});

function changeIdOf(input: CommandInput): number {
  const text = input.required("change");
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the id of a change. Use a number such as 12.`);
}

function timeOf(input: CommandInput): Date | null {
  const text = input.one("from");
  if (text === undefined) return null;
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text);
  const time = new Date(text);
  if (isTime && time.toJSON()?.startsWith(text.slice(0, 10))) return time;
  throw new UsageError(
    `--from must be a time in UTC such as 2026-12-01 or 2026-12-01T09:00Z, not "${text}".`,
  );
}

/** Returns the rule as the options have it. Figures that are left out are those in force at the change's time. */
function draftOf(input: CommandInput, current: PricingRule | undefined): RuleDraft {
  const { minEuro = null, maxEuro = null } = current?.limits ?? {};
  const figure = (name: string, otherwise: number | undefined): number => {
    const text = input.one(name);
    if (text === undefined) return otherwise ?? missing(name);
    if (/^-?[0-9]{1,6}$/.test(text)) return Number(text);
    throw new UsageError(`--${name} must be a whole number of basis points, not "${text}".`);
  };
  const euro = (name: string, otherwise: PricingRule["fixedFeeEuro"] | null | undefined) =>
    input.one(name) ?? (otherwise ? formatDecimal(otherwise) : missing(name));
  return {
    reference: input.required("rule"),
    merchantId: input.one("client") ?? current?.merchantId ?? null,
    operation: input.one("operation") ?? current?.operation ?? null,
    paymentMethod: input.one("method") ?? current?.paymentMethodReference ?? null,
    currency: input.one("currency") ?? current?.currency ?? null,
    spreadBasisPoints: figure("spread", current?.spreadBasisPoints),
    feeBasisPoints: figure("fee", current?.feeBasisPoints),
    fixedFeeEuro: euro("fixed-fee", current?.fixedFeeEuro),
    minEuro: euro("min", minEuro),
    maxEuro: euro("max", maxEuro),
    enabled: !input.hasFlag("disable") && (input.hasFlag("enable") || (current?.enabled ?? true)),
  };
}

function missing(name: string): never {
  throw new UsageError(
    `--${name} is needed: no rule of this name is in force. List them: exchange prices list`,
  );
}
