import { formatDecimal } from "@exchange/money";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { PricingRule } from "../../domain/catalogue/pricing-rule.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import {
  checkRule,
  contradictionsOf,
  type RuleDraft,
  type RuleProblem,
  timeWithoutGeneralRule,
} from "../../domain/prices/check-rule.ts";
import { type PriceChange, rulesAt } from "../../domain/prices/price-change.ts";
import { type ControlState, logControl } from "../../storage/audit/control-log.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import {
  findPriceChange,
  insertPriceChange,
  listApprovedChanges,
  lockPriceChanges,
  type NewPriceChange,
  type StoredPriceChange,
} from "../../storage/prices/price-changes.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";

export type PriceDeps = Pick<Deps, "database" | "environment" | "directory">;

export interface ProposePrice {
  readonly draft: RuleDraft;
  /** Null: as soon as another person approves it. */
  readonly effectiveFrom: Date | null;
  readonly reason: string;
  readonly by: Operator;
}

/**
 * Proposes a price rule: a new one, or other figures of one that exists. Nothing changes before another person
 * approves it. Refuses INVALID_INPUT with each problem, and PRICE_CONFLICT while another proposal of the rule waits.
 */
export function proposePrice(deps: PriceDeps, command: ProposePrice): Promise<StoredPriceChange> {
  const { draft, effectiveFrom: wantedFrom, reason } = command;
  return propose(deps, command.by, async ({ catalogue, now }) => {
    requireEarlyEnough(wantedFrom, now);
    const problems = problemsOfMerchant(deps, draft);
    const checked = checkRule(catalogue, draft, wantedFrom ?? now);
    if ("problems" in checked || problems.length > 0) {
      throw refusalOf([...problems, ...("problems" in checked ? checked.problems : [])]);
    }
    return { reference: draft.reference, rule: checked.rule, undoes: null, reason, wantedFrom };
  });
}

export interface UndoPrice {
  readonly changeId: number;
  readonly reason: string;
  readonly by: Operator;
}

/**
 * Proposes to take an approved change back: the rule becomes what it was before. A change that has not taken effect
 * is taken back at its own time, or as soon as the undo is approved if that is later. Refuses NOT_FOUND and PRICE_CONFLICT.
 */
export function undoPrice(deps: PriceDeps, command: UndoPrice): Promise<StoredPriceChange> {
  const { changeId, reason } = command;
  return propose(deps, command.by, async ({ tx, now }) => {
    const change = await requirePriceChange(tx, changeId);
    if (!change.isLast || change.effectiveFrom === null) throw notUndoable(change);
    const history = await listApprovedChanges(tx, change.reference);
    const { rule: earlier = null } = history.at(-2) ?? {};
    const wantedFrom = change.effectiveFrom > now ? change.effectiveFrom : null;
    return { reference: change.reference, rule: earlier, undoes: changeId, reason, wantedFrom };
  });
}

interface Proposing {
  readonly tx: Tx;
  readonly catalogue: Catalogue;
  readonly now: Date;
}

/** Stores a proposal, in one database transaction with what it was decided on and with its log. */
async function propose(
  deps: PriceDeps,
  person: Operator,
  decide: (proposing: Proposing) => Promise<Omit<NewPriceChange, "by">>,
): Promise<StoredPriceChange> {
  const by = requireOperator(deps, person);
  return deps.database.transaction(async (tx) => {
    await lockPriceChanges(tx);
    const [catalogue, now] = [await readCatalogue(tx), await readBusinessNow(tx)];
    const proposal = await decide({ tx, catalogue, now });
    const { reference, rule, undoes, reason, wantedFrom } = proposal;
    requireFittingRule(catalogue, { id: Number.MAX_SAFE_INTEGER, ...proposal }, wantedFrom ?? now);
    const id = await insertPriceChange(tx, { ...proposal, by });
    if (id === undefined) throw alreadyProposed(reference);
    const before = rulesAt(catalogue, now).find((one) => one.reference === reference);
    await logControl(tx, {
      operator: by,
      action: "propose_price",
      subject: reference,
      details: {
        change: String(id),
        undoes: undoes === null ? null : String(undoes),
        effectiveFrom: wantedFrom?.toISOString() ?? "as soon as it is approved",
        reason,
      },
      before: ruleInWords(before ?? null),
      after: ruleInWords(rule),
    });
    return requirePriceChange(tx, id);
  });
}

/** Finds a change. Refuses NOT_FOUND. */
export async function requirePriceChange(
  queryable: Parameters<typeof findPriceChange>[0],
  id: number,
): Promise<StoredPriceChange> {
  const change = await findPriceChange(queryable, id);
  if (change) return change;
  throw new Refusal("NOT_FOUND", {
    message: `There is no price change ${id}. List them: exchange prices list`,
  });
}

/** Returns whether an approval at `now` reaches every process before its change takes effect. */
export const isEarlyEnough = (wantedFrom: Date | null, now: Date): boolean =>
  wantedFrom === null || wantedFrom.getTime() >= now.getTime() + EFFECT_LEAD_MS;

function requireEarlyEnough(wantedFrom: Date | null, now: Date): void {
  if (wantedFrom === null || isEarlyEnough(wantedFrom, now)) return;
  throw new Refusal("INVALID_INPUT", {
    message: `The price cannot take effect at ${wantedFrom.toISOString()}: it is ${now.toISOString()}. Choose a later time, or leave it out to apply the price on approval.`,
    details: [{ field: "effectiveFrom", issue: "has passed" }],
  });
}

/** An approved change takes effect this much later at the earliest, when every process has read it. */
export const EFFECT_LEAD_MS = 2_000;

/** Refuses a change that contradicts other rules, and one after which exchanges that no other rule matches have no price. */
export function requireFittingRule(
  catalogue: Catalogue,
  change: Omit<PriceChange, "effectiveFrom">,
  effectiveFrom: Date,
): void {
  const [problem] = change.rule ? contradictionsOf(catalogue, change.rule, effectiveFrom) : [];
  if (problem) throw new Refusal("PRICE_CONFLICT", { message: problem.issue });
  const priceChanges = [...catalogue.priceChanges, { ...change, effectiveFrom }];
  const time = timeWithoutGeneralRule(buildCatalogue({ ...catalogue, priceChanges }), {
    effectiveFrom,
  });
  if (time === undefined) return;
  throw new Refusal("PRICE_CONFLICT", {
    message: `From ${time.toISOString()} no rule without selectors would be enabled, so some exchanges would have no price. Keep ${change.reference} enabled, or enable another one first.`,
  });
}

/** Returns a rule as the log of changes shows it. */
export function ruleInWords(rule: PricingRule | null): ControlState {
  if (rule === null) return { rule: "as the catalogue's files have it" };
  const { minEuro, maxEuro } = rule.limits;
  return {
    merchant: rule.merchantId,
    operation: rule.operation,
    paymentMethod: rule.paymentMethodReference,
    currency: rule.currency,
    spreadBasisPoints: rule.spreadBasisPoints,
    feeBasisPoints: rule.feeBasisPoints,
    fixedFeeEuro: formatDecimal(rule.fixedFeeEuro),
    minEuro: minEuro && formatDecimal(minEuro),
    maxEuro: maxEuro && formatDecimal(maxEuro),
    enabled: rule.enabled,
  };
}

function problemsOfMerchant(
  { directory }: PriceDeps,
  { merchantId }: RuleDraft,
): readonly RuleProblem[] {
  if (merchantId === null || directory().merchant(merchantId)) return [];
  return [{ field: "merchantId", issue: `There is no merchant ${merchantId}.` }];
}

const refusalOf = (problems: readonly RuleProblem[]): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: problems.map(({ issue }) => issue).join(" "),
    details: problems,
  });

const alreadyProposed = (reference: string): Refusal =>
  new Refusal("PRICE_CONFLICT", {
    message: `A change of ${reference} waits for a decision. Approve or reject it first.`,
  });

function notUndoable({ id, reference, status }: StoredPriceChange): Refusal {
  const why =
    status === "proposed" || status === "rejected"
      ? `is ${status}, so there is nothing to undo`
      : `was followed by a later change of ${reference}. Undo that one, or propose the price that you want`;
  return new Refusal("PRICE_CONFLICT", { message: `Price change ${id} ${why}.` });
}
