import { formatAmount } from "../amounts/format.ts";
import { en } from "../copy/en.ts";
import { operationCopy } from "../copy/operations.ts";
import { currencyOn, typedAmount } from "../machine/amount.ts";
import type { AmountSide, Choosing, LimitFigure } from "../machine/state.ts";
import { kindOn } from "../ui/words.ts";

/**
 * What is wrong with the amount, in words. Typing errors show only once the field was left or
 * submitted; the service's answers show as they come.
 */
export function amountError(stage: Choosing, left: boolean): string | undefined {
  const { errors } = en.amount;
  const typed = typedAmount(stage);
  if (typeof typed === "string") {
    if (!left) return undefined;
    if (typed !== "precision") return errors[typed];
    const { code, decimals } = currencyOn(stage, stage.amount.side);
    return errors.precision(code, decimals);
  }
  const { fault, status } = stage.quote;
  if (!fault || status !== "failed") return undefined;
  switch (fault.kind) {
    case "limit":
      return limitError(stage, fault);
    case "precision": {
      const { code, decimals } = currencyOn(stage, stage.amount.side);
      return errors.precision(code, decimals);
    }
    case "unsupported_pair":
      return errors.unsupportedPair(stage.spend.code, stage.receive.code);
    case "unavailable":
      return errors.unavailable;
    case "unreachable":
      return errors.unreachable;
  }
}

function limitError(
  stage: Choosing,
  fault: { readonly bound: "min" | "max"; readonly limit: LimitFigure },
): string {
  const side: AmountSide = fault.limit.currencyCode === stage.receive.code ? "receive" : "spend";
  const kind = kindOn(stage.world.operation, side);
  const figure = formatAmount(fault.limit, kind, stage.world.locale);
  const copy = operationCopy(stage.world.operation);
  const words =
    side === "receive"
      ? en.amount.errors[fault.bound].receive
      : fault.bound === "min"
        ? copy.least
        : copy.most;
  return `${words} ${figure}`;
}
