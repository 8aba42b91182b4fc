import { jsonNumber } from "@exchange/contract";
import { toDecimal } from "@exchange/money";
import type { RuleRefusal } from "../../domain/rules/result.ts";
import { Refusal, type RefusalDetail } from "../refusal.ts";

/** Converts a refusal of the rules into the contract's error. */
export function refusalOfRule({ code, message, limits }: RuleRefusal): Refusal {
  if (!limits) return new Refusal(code, { message });
  const detail: RefusalDetail = {
    issue: message,
    min: jsonNumber(toDecimal(limits.min)),
    max: jsonNumber(toDecimal(limits.max)),
    currencyCode: limits.min.asset.code,
    boundBy: limits.boundBy,
  };
  return new Refusal(code, { message, details: [detail] });
}
