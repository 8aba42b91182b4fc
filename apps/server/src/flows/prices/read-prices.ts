import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { rulesAt } from "../../domain/prices/price-change.ts";
import {
  listPriceChanges,
  type PriceChangeStatus,
  type StoredPriceChange,
} from "../../storage/prices/price-changes.ts";
import type { Deps } from "../deps.ts";

/** Returns the rules in force now or at another time, in the order of the files. */
export const readPricesInForce = (
  deps: Pick<Deps, "catalogue" | "clock">,
  at: Date | null = null,
): readonly PricingRule[] => rulesAt(deps.catalogue(), at ?? deps.clock.now());

/** The lists of changes, and the statuses of each. */
export const PRICE_LISTS = {
  proposed: ["proposed"],
  scheduled: ["scheduled"],
  past: ["in_force", "replaced", "rejected"],
} as const satisfies Record<string, readonly PriceChangeStatus[]>;
export type PriceList = keyof typeof PRICE_LISTS;

export interface ListedPriceChanges {
  readonly items: readonly StoredPriceChange[];
  /** The last item, when there are more. */
  readonly last: StoredPriceChange | undefined;
}

/** Lists changes of prices, the latest proposal first. */
export async function listPrices(
  { database }: Pick<Deps, "database">,
  page: {
    readonly which: PriceList;
    readonly olderThan: bigint | null;
    readonly limit: number;
  },
): Promise<ListedPriceChanges> {
  const { which, olderThan, limit } = page;
  const statuses = PRICE_LISTS[which];
  const found = await listPriceChanges(database, { statuses, olderThan, limit: limit + 1 });
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}

/** Returns whether the person may approve the change: nobody approves their own. */
export const mayApproveChange = (
  { status, proposedBy, proposedAccount }: StoredPriceChange,
  { person, account }: Pick<Operator, "person" | "account">,
): boolean => status === "proposed" && person !== proposedBy && account !== proposedAccount;
