import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import { checkRule, type RuleDraft } from "../../domain/prices/check-rule.ts";
import type { PriceChange } from "../../domain/prices/price-change.ts";
import { drawUpQuote } from "../../domain/quotes/draw-up-quote.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { RuleResult } from "../../domain/rules/result.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import { listApprovedChanges } from "../../storage/prices/price-changes.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { requirePriceChange } from "./propose.ts";

/** A change to look at: one that was proposed, or one that is still being written. */
export type PreviewedChange =
  | { readonly changeId: number }
  | { readonly draft: RuleDraft; readonly effectiveFrom: Date | null };

/** One exchange at the present prices of the market, without the change and with it. */
export interface PricePreview {
  /** The time whose rules apply: that of the change's effect, or now. */
  readonly at: Date;
  readonly before: RuleResult<Quote>;
  readonly after: RuleResult<Quote>;
}

export type PreviewDeps = Pick<
  Deps,
  "database" | "catalogue" | "controls" | "rates" | "networkFees" | "clock"
>;

/**
 * Prices an exchange twice with the function that makes quotes. Nothing is stored. Refuses NOT_FOUND, and
 * INVALID_INPUT for a rule that could not be proposed.
 */
export async function previewPrice(
  deps: PreviewDeps,
  { previewed, wish }: { readonly previewed: PreviewedChange; readonly wish: ExchangeWish },
): Promise<PricePreview> {
  const { without, change } = await readPreviewed(deps, previewed);
  const now = deps.clock.now();
  const at = change.effectiveFrom > now ? change.effectiveFrom : now;
  const withIt = [...without.priceChanges, change];
  const draw = (catalogue: Catalogue) =>
    drawUpQuote(
      {
        catalogue: rulesOf(catalogue, at),
        controls: deps.controls(),
        rates: deps.rates ?? { name: "none", prices: () => undefined },
        networkFees: deps.networkFees,
        now,
        quoteId: "",
      },
      wish,
    );
  return {
    at,
    before: draw(without),
    after: draw(buildCatalogue({ ...without, priceChanges: withIt })),
  };
}

/** Returns the catalogue with the rules of one time, whatever time a quote asks for. */
const rulesOf = (catalogue: Catalogue, at: Date): Catalogue => ({
  ...catalogue,
  pricingRulesFor: (merchantId) => catalogue.pricingRulesFor(merchantId, at),
});

interface Previewed {
  readonly without: Catalogue;
  readonly change: PriceChange;
}

async function readPreviewed(deps: PreviewDeps, previewed: PreviewedChange): Promise<Previewed> {
  const catalogue = deps.catalogue();
  const now = deps.clock.now();
  if ("changeId" in previewed) return readStored(deps, previewed.changeId);
  const { draft, effectiveFrom } = previewed;
  const checked = checkRule(catalogue, draft, effectiveFrom ?? now);
  if ("problems" in checked) {
    const message = checked.problems.map(({ issue }) => issue).join(" ");
    throw new Refusal("INVALID_INPUT", { message, details: checked.problems });
  }
  const { reference } = draft;
  const change = { id: LATEST, reference, rule: checked.rule, effectiveFrom: effectiveFrom ?? now };
  return { without: catalogue, change };
}

/** A draft comes after every stored change of the same time. */
const LATEST = Number.MAX_SAFE_INTEGER;

/** The catalogue lacks changes that were replaced, so those of the rule are read from the database. */
async function readStored(deps: PreviewDeps, changeId: number): Promise<Previewed> {
  const catalogue = deps.catalogue();
  const { id, reference, rule, ...times } = await requirePriceChange(deps.database, changeId);
  const effectiveFrom = times.effectiveFrom ?? times.wantedFrom ?? deps.clock.now();
  const approved = await listApprovedChanges(deps.database, reference);
  const others = approved.flatMap((one) =>
    one.id === id || one.effectiveFrom === null
      ? []
      : [{ id: one.id, reference, rule: one.rule, effectiveFrom: one.effectiveFrom }],
  );
  const priceChanges = [
    ...catalogue.priceChanges.filter((one) => one.reference !== reference),
    ...others,
  ];
  const without = buildCatalogue({ ...catalogue, priceChanges });
  return { without, change: { id, reference, rule, effectiveFrom } };
}
