import {
  currencyKey,
  DEFAULT_KEY,
  type LimitKey,
  limitsOf,
  type PayoutLimits,
  setLimitsOf,
  TOTAL_KEY,
} from "../../domain/payouts/limits.ts";
import type { Outflow } from "../../domain/payouts/release.ts";
import { readOutflows } from "../../storage/payouts/controls.ts";
import type { Deps } from "../deps.ts";
import { readLimitBook } from "./set-limits.ts";

/** Limits of payouts with the amounts that count against them now. */
export interface LimitUse {
  readonly key: LimitKey;
  readonly limits: PayoutLimits;
  /** False where built-in limits apply, or the default ones. */
  readonly isSet: boolean;
  /** Null for the default, whose currencies are counted one by one. */
  readonly out: Outflow | null;
}

const NOTHING: Outflow = { hourCents: 0n, dayCents: 0n };

/**
 * Lists the use of the limits of all currencies together, of the default of a currency, and of each currency that has
 * limits of its own or paid out in the last day.
 */
export async function listLimitUse(
  deps: Pick<Deps, "database" | "catalogue" | "environment">,
): Promise<readonly LimitUse[]> {
  const book = await readLimitBook(deps);
  const outflows = await readOutflows(deps.database);
  const catalogue = deps.catalogue();
  const byCurrency = new Map(
    [...outflows].map(([assetId, out]) => [catalogue.requireCurrency(assetId).reference, out]),
  );
  const own = book.rows.flatMap(({ kind, subject }) => (kind === "currency" ? [subject] : []));
  const total = [...outflows.values()].reduce(
    (sum, out) => ({
      hourCents: sum.hourCents + out.hourCents,
      dayCents: sum.dayCents + out.dayCents,
    }),
    NOTHING,
  );
  const use = (key: LimitKey, out: Outflow | null): LimitUse => ({
    ...{ key, out, limits: limitsOf(book, key), isSet: setLimitsOf(book, key) !== undefined },
  });
  const references = [...new Set([...own, ...byCurrency.keys()])].toSorted();
  return [
    use(TOTAL_KEY, total),
    use(DEFAULT_KEY, null),
    ...references.map((name) => use(currencyKey(name), byCurrency.get(name) ?? NOTHING)),
  ];
}
