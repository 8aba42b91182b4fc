import { toDecimal } from "@exchange/money";
import { withNetworkFee } from "../../domain/quotes/network-fee.ts";
import { coverFees } from "../../domain/quotes/price.ts";
import { ratesFor } from "../../domain/quotes/rates.ts";
import { listWays, type WaysQuestion } from "../../domain/rules/list-ways.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import type { Deps } from "../deps.ts";
import { type PartMembers, refusalOfRule } from "./rule-refusal.ts";

/**
 * Returns every way to make the exchange, with its limits. Refuses as a quote does. The network fee and the prices of the
 * moment may raise a minimum. While they are unknown, the limits are those of the catalogue.
 */
export function readLimits(
  deps: Pick<Deps, "catalogue" | "rates" | "networkFees" | "clock">,
  question: WaysQuestion,
  members?: PartMembers,
): readonly Terms[] {
  const at = deps.clock.now();
  const ways = listWays({ catalogue: deps.catalogue(), at }, question);
  if (!ways.ok) throw refusalOfRule(ways.refusal, members);
  const table = deps.rates?.prices(at);
  if (!table) return ways.value;
  return ways.value.map((terms) => {
    const delivered = withNetworkFee(terms, deps.networkFees, table);
    if (!delivered.ok) return terms;
    const priced = delivered.value.terms;
    const least = toDecimal(priced.limits.min);
    const rates = ratesFor(table, priced, { side: "spend", amount: least });
    return rates.ok ? coverFees(priced, rates.value.rate) : priced;
  });
}
