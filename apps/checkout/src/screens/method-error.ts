import { named, t } from "../copy/later.ts";
import type { Choosing } from "../machine/state.ts";
import { hasMethodChoice, isOutsideLimits } from "../machine/ways.ts";
import { printLimit } from "./amount-error.ts";

/** Names the payment method whose limit the amount is outside of, and offers the others if there are any. */
export function methodError(stage: Choosing): string | undefined {
  const { fault } = stage.quote;
  const isOfMethod = stage.screen !== "delivery" && isOutsideLimits(stage);
  if (!isOfMethod || fault?.kind !== "limit") return undefined;
  const method = named(stage.method.name);
  const limit = t(`method.${fault.bound}`, { method, amount: printLimit(stage, fault.limit) });
  return hasMethodChoice(stage) ? `${limit} ${t("method.another")}` : limit;
}
