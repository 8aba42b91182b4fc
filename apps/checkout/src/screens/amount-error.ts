import { formatAmount, formatPlain } from "../amounts/format.ts";
import { t } from "../copy/first.ts";
import { currencyOn, typedAmount } from "../machine/amount.ts";
import type { Choosing, LimitFault, LimitFigure } from "../machine/state.ts";
import { kindOn } from "../ui/words.ts";

const EXAMPLE = { units: 1005n, scale: 1 };

/** Returns the error of the amount in words: a typing error, or else the service's refusal. */
export function amountError(stage: Choosing): string | undefined {
  const typed = typedAmount(stage);
  if (typeof typed === "string") return typingError(stage, typed);
  const { fault, status } = stage.quote;
  if (!fault || status !== "failed") return undefined;
  switch (fault.kind) {
    case "limit":
      return limitError(stage, fault);
    case "precision":
      return precisionError(stage);
    case "unsupported_pair":
      return t("amount.error.pair", { spend: stage.spend.code, receive: stage.receive.code });
    case "fees":
    case "unavailable":
    case "unreachable":
      return t(`amount.error.${fault.kind}`);
  }
}

function typingError(stage: Choosing, typed: "empty" | "invalid" | "precision"): string {
  if (typed === "precision") return precisionError(stage);
  if (typed === "empty") return t("amount.error.empty");
  return t("amount.error.invalid", { example: formatPlain(EXAMPLE, 1, stage.world.locale) });
}

function precisionError(stage: Choosing): string {
  const { code, decimals } = currencyOn(stage, stage.amount.side);
  if (decimals === 0) return t("amount.error.whole", { code });
  return t("amount.error.precision", { code, count: decimals });
}

function limitError(stage: Choosing, { bound, limit, isOfFees }: LimitFault): string {
  const amount = printLimit(stage, limit);
  if (isOfFees) return t("amount.error.min.fees", { amount });
  return t(`amount.error.${bound}.pay`, { amount });
}

/** Limits are amounts to pay. On an exchange between two networks of one coin, both amounts have the same code. */
export const printLimit = ({ world }: Choosing, limit: LimitFigure): string =>
  formatAmount(limit, kindOn(world.operation, "spend"), world.locale);
