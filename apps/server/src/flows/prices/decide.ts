import type { Operator } from "../../domain/operators/operator.ts";
import { rulesAt } from "../../domain/prices/price-change.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { readBusinessNow } from "../../storage/postgres/business-clock.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import {
  decidePriceChange,
  lockPriceChanges,
  type PriceDecision,
  type StoredPriceChange,
} from "../../storage/prices/price-changes.ts";
import { describeEarlier, requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import {
  EFFECT_LEAD_MS,
  isEarlyEnough,
  type PriceDeps,
  requireFittingRule,
  requirePriceChange,
  ruleInWords,
} from "./propose.ts";

export interface DecidePrice {
  readonly changeId: number;
  readonly by: Operator;
  readonly reason?: string | undefined;
}

/**
 * Approves a change that another person proposed. Every process applies it from its time on, without a restart.
 * Refuses NOT_FOUND, and INVALID_INPUT for one's own change. PRICE_CONFLICT means that the change was decided, that
 * its time has passed, that it contradicts a rule approved meanwhile, or that it would leave exchanges without a
 * price.
 */
export function approvePrice(deps: PriceDeps, command: DecidePrice): Promise<StoredPriceChange> {
  return decide(deps, command, async (tx, change, by) => {
    const { proposedBy, proposedAccount, reference, rule } = change;
    if (by.person === proposedBy || by.account === proposedAccount) throw ownChange(change, by);
    const [catalogue, now] = [await readCatalogue(tx), await readBusinessNow(tx)];
    const effectiveFrom = timeOfEffect(change, now);
    requireFittingRule(catalogue, change, effectiveFrom);
    const before = rulesAt(catalogue, effectiveFrom).find((one) => one.reference === reference);
    return {
      state: "approved",
      effectiveFrom,
      before: ruleInWords(before ?? null),
      after: { ...ruleInWords(rule), effectiveFrom: effectiveFrom.toISOString() },
    };
  });
}

/** Rejects a proposed change. The person who proposed it may withdraw it so. Refuses NOT_FOUND and PRICE_CONFLICT. */
export function rejectPrice(deps: PriceDeps, command: DecidePrice): Promise<StoredPriceChange> {
  return decide(deps, command, async (_tx, { rule }) => ({
    state: "rejected",
    effectiveFrom: null,
    before: ruleInWords(rule),
    after: null,
  }));
}

type Verdict = Pick<PriceDecision, "state" | "effectiveFrom"> &
  Pick<Parameters<typeof logControl>[1], "before" | "after">;

async function decide(
  deps: PriceDeps,
  command: DecidePrice,
  judge: (tx: Tx, change: StoredPriceChange, by: Operator) => Promise<Verdict>,
): Promise<StoredPriceChange> {
  const by = requireOperator(deps, command.by);
  const { changeId: id, reason: why = null } = command;
  return deps.database.transaction(async (tx) => {
    await lockPriceChanges(tx);
    const change = await requirePriceChange(tx, id);
    if (change.status !== "proposed") throw decidedBefore(change);
    const { state, effectiveFrom, before, after } = await judge(tx, change, by);
    await decidePriceChange(tx, { id, state, effectiveFrom, by, why });
    await logControl(tx, {
      operator: by,
      action: state === "approved" ? "approve_price" : "reject_price",
      subject: change.reference,
      details: { change: String(id), proposedBy: change.proposedBy, reason: why },
      before,
      after,
    });
    return requirePriceChange(tx, id);
  });
}

/** An undo that is approved after its time takes effect at once: the change that it takes back is in force. */
function timeOfEffect(change: StoredPriceChange, now: Date): Date {
  const { wantedFrom, undoes } = change;
  const isOnTime = isEarlyEnough(wantedFrom, now);
  if (wantedFrom !== null && isOnTime) return wantedFrom;
  if (!isOnTime && undoes === null) throw timePassed(change);
  return new Date(now.getTime() + EFFECT_LEAD_MS);
}

const timePassed = ({ id }: StoredPriceChange): Refusal =>
  new Refusal("PRICE_CONFLICT", {
    message: `The time of price change ${id} has passed. Reject it and propose it again with another time.`,
  });

const ownChange = ({ id, proposedBy }: StoredPriceChange, by: Operator): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${describeEarlier(by, [proposedBy])} proposed price change ${id}. Another person must approve it, under another account.`,
  });

const decidedBefore = ({ id, status, decidedBy }: StoredPriceChange): Refusal =>
  new Refusal("PRICE_CONFLICT", {
    message: `Price change ${id} was ${status === "rejected" ? "rejected" : "approved"} by ${decidedBy}. There is nothing to decide.`,
  });
