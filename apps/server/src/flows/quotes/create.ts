import type { Decimal, Money } from "@exchange/money";
import type { Operation } from "../../domain/catalogue/operation.ts";
import { drawUpQuote } from "../../domain/quotes/draw-up-quote.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { ExchangeSize } from "../../domain/rules/terms.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { type PartMembers, refusalOfRule } from "./rule-refusal.ts";

export interface CreateQuote {
  readonly merchantId: string;
  /** With a session the quote is stored, and an order in that session may use it. */
  readonly sessionId?: string | undefined;
  /** The order of the session to which the quote offers a new price. */
  readonly repricesOrderId?: bigint | undefined;
  readonly countryCode?: string | undefined;
  readonly operation: Operation;
  readonly spendCurrencyId: number;
  readonly receiveCurrencyId: number;
  /** One of the two amounts, in whole coins. */
  readonly spendAmount?: Decimal | undefined;
  readonly receiveAmount?: Decimal | undefined;
  readonly paymentMethodId: number;
  readonly deliveryMethodId?: number | undefined;
  /** The members of the request, which a refusal names. */
  readonly members?: PartMembers;
}

/** The dependencies of a quote. An indicative quote writes no row, so it needs no `insertQuote`. */
export type QuoteDeps = Pick<
  Deps,
  "catalogue" | "controls" | "rates" | "networkFees" | "clock" | "ids" | "insertQuote"
>;

/**
 * Prices an exchange for 30 seconds. Refuses the codes of the rules (`RuleRefusalCode`), and
 * INVALID_INPUT unless exactly one amount above zero is given. Refuses LIQUIDITY_UNAVAILABLE
 * without rates or the network's fee, while the pair or the merchant is stopped, and beyond our
 * liquidity limit.
 */
export async function createQuote(deps: QuoteDeps, command: CreateQuote): Promise<Quote> {
  const quote = priceQuote(deps, command);
  const { merchantId, sessionId, repricesOrderId } = command;
  if (sessionId !== undefined) {
    await deps.insertQuote({ quote, merchantId, sessionId, repricesOrderId });
  }
  return quote;
}

/** Prices an indicative quote, which is not stored. Refuses as `createQuote` does. */
export function priceQuote(deps: Omit<QuoteDeps, "insertQuote">, command: CreateQuote): Quote {
  if (!deps.rates) throw new Refusal("LIQUIDITY_UNAVAILABLE");
  const drawn = drawUpQuote(
    {
      catalogue: deps.catalogue(),
      controls: deps.controls(),
      rates: deps.rates,
      networkFees: deps.networkFees,
      now: deps.clock.now(),
      quoteId: `quo_${deps.ids.orderedUuid().replaceAll("-", "")}`,
    },
    {
      merchantId: command.merchantId,
      operation: command.operation,
      spendCurrencyId: command.spendCurrencyId,
      receiveCurrencyId: command.receiveCurrencyId,
      paymentMethodId: command.paymentMethodId,
      deliveryMethodId: command.deliveryMethodId,
      countryCode: command.countryCode,
      size: sizeOf(command),
    },
  );
  if (!drawn.ok) throw refusalOfRule(drawn.refusal, command.members);
  return drawn.value;
}

export type AlternativeKind = "paymentMethods" | "deliveryMethods";

export interface Alternatives {
  readonly quotes: readonly Quote[];
  readonly outsideLimits: readonly OutsideLimits[];
}

/** A method whose limits the amount is outside of, and the violated limit. */
export interface OutsideLimits {
  readonly methodId: number;
  readonly bound: "min" | "max";
  readonly limit: Money;
}

/**
 * Prices the same exchange by every method of a kind that can make it, the command's own among them. The prices are
 * those in memory, so a customer compares methods with one call and no row is written.
 */
export function priceAlternatives(
  deps: Omit<QuoteDeps, "insertQuote">,
  command: CreateQuote,
  kind: AlternativeKind,
): Alternatives {
  const catalogue = deps.catalogue();
  const isOfPayment = kind === "paymentMethods";
  const methods = isOfPayment ? catalogue.paymentMethods : catalogue.deliveryMethods;
  const quotes: Quote[] = [];
  const outsideLimits: OutsideLimits[] = [];
  for (const { id } of methods) {
    const method = isOfPayment ? { paymentMethodId: id } : { deliveryMethodId: id };
    try {
      quotes.push(priceQuote(deps, { ...command, ...method }));
    } catch (error) {
      // A method that cannot make this exchange is not an alternative.
      if (!(error instanceof Refusal)) throw error;
      const violated = violatedLimit(error);
      if (violated) outsideLimits.push({ methodId: id, ...violated });
    }
  }
  return { quotes, outsideLimits };
}

/** Returns the limit that the amount is outside of; undefined if the refusal has another reason, or no amount is possible. */
function violatedLimit({ code, details }: Refusal): Omit<OutsideLimits, "methodId"> | undefined {
  if (code !== "AMOUNT_BELOW_MINIMUM" && code !== "AMOUNT_ABOVE_MAXIMUM") return undefined;
  const bound = code === "AMOUNT_BELOW_MINIMUM" ? "min" : "max";
  const { min, max } = details?.[0] ?? {};
  const limit = bound === "min" ? min : max;
  return limit && min && max && min.units <= max.units ? { bound, limit } : undefined;
}

function sizeOf({ spendAmount, receiveAmount }: CreateQuote): ExchangeSize {
  const amount = spendAmount ?? receiveAmount;
  if (!amount || (spendAmount && receiveAmount)) {
    throw new Refusal("INVALID_INPUT", {
      message: "Name the amount to spend or the amount to receive, and not both.",
    });
  }
  if (amount.units <= 0n) {
    throw new Refusal("INVALID_INPUT", { message: "The amount must be above zero." });
  }
  return { side: spendAmount ? "spend" : "receive", amount };
}
