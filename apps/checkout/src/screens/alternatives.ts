import type { QuoteAlternative } from "@exchange/contract";
import { formatAmount, formatBrief, type WireAmount } from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import type { Choosing, LimitFault } from "../machine/state.ts";
import { limitFault } from "../machine/ways.ts";
import { kindOn } from "../ui/words.ts";
import { printLimit } from "./amount-error.ts";

/** The result of a method for the amount that the customer typed. */
export interface MethodResult {
  /** The amount received, or the amount to spend where the customer typed the other. */
  readonly amount: string;
  readonly isBest: boolean;
  /** The methods are being compared. The amount is hidden, and only its size counts. */
  readonly isPending?: true;
}

/** The reason why a method has no result, in words. */
export interface NoResult {
  readonly reason: string;
}

export interface Comparison {
  /** The service has not compared the methods yet. */
  readonly isPending: boolean;
  /** Undefined where there is nothing to compare. */
  resultOf(methodId: number): MethodResult | NoResult | undefined;
  /** The fee of a delivery method in the currency received. */
  deliveryFeeOf(methodId: number): string | undefined;
}

type MethodIdOf = (alternative: QuoteAlternative) => number;

/**
 * Compares the methods on the screen by the alternatives of the present quote. The best ones are marked only where the
 * methods differ.
 */
export function compareMethods(
  stage: Choosing,
  methodIdOf: MethodIdOf,
  methods: readonly { readonly id: number }[],
): Comparison {
  const { world, amount, quote, screen } = stage;
  const { operation, locale } = world;
  // A limit of the chosen method says nothing about the others.
  const outside = limitFault(stage);
  const chosen = screen === "delivery" ? stage.delivery?.id : stage.method.id;
  const isFailed = quote.status === "failed" && !outside;
  const all = isFailed ? undefined : quote.quote?.alternatives;
  const isOn = ({ id }: { readonly id: number }): boolean => methods.some((one) => one.id === id);
  const listed = all?.filter((each) => isOn({ id: methodIdOf(each) })) ?? [];
  const side = amount.side === "spend" ? "receive" : "spend";
  const format = side === "receive" ? formatBrief : formatAmount;
  const print = (figure: WireAmount): string => format(figure, kindOn(operation, side), locale);
  const figures = listed.map((each) => each[side].amount);
  const [least, most] = [Math.min(...figures), Math.max(...figures)];
  const differ = least !== most;
  const best = side === "receive" ? most : least;
  // It keeps the room of the results, so that nothing moves when they arrive.
  const isPending = !all && methods.length > 1 && quote.status !== "failed";
  // Without a quote any figure has the height of a result.
  const held = quote.quote ? print(quote.quote[side]) : "0";
  const pending = isPending ? ({ amount: held, isBest: false, isPending } as const) : undefined;
  const find = (methodId: number) => listed.find((each) => methodIdOf(each) === methodId);
  return {
    isPending,
    resultOf(methodId) {
      if (outside && methodId === chosen) return noResult(stage, outside);
      if (!all) return pending;
      const found = find(methodId);
      if (!found) {
        const limits = quote.quote?.outsideLimits ?? [];
        return noResult(
          stage,
          limits.find((each) => each.methodId === methodId),
        );
      }
      return { amount: print(found[side]), isBest: differ && found[side].amount === best };
    },
    deliveryFeeOf(methodId) {
      const fee = find(methodId)?.deliveryFee;
      return fee && formatAmount(fee, kindOn(operation, "receive"), locale);
    },
  };
}

/** Says the limit that the amount is outside of, if the service named it. */
function noResult(
  stage: Choosing,
  outside: Pick<LimitFault, "bound" | "limit"> | undefined,
): NoResult {
  if (!outside) return { reason: t("method.notNow") };
  const amount = printLimit(stage, outside.limit);
  return { reason: t(`method.only.${outside.bound}`, { amount }) };
}
