import { listWays, type WaysQuestion } from "../../domain/rules/list-ways.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import type { Deps } from "../deps.ts";
import { refusalOfRule } from "./rule-refusal.ts";

/** Returns every way to make the exchange, with its limits. Refuses as a quote does. */
export function readLimits(
  deps: Pick<Deps, "catalogue">,
  question: WaysQuestion,
): readonly Terms[] {
  const ways = listWays(deps.catalogue(), question);
  if (!ways.ok) throw refusalOfRule(ways.refusal);
  return ways.value;
}
