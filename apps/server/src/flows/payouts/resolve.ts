import { type Decimal, money } from "@exchange/money";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { PaidNetworkFee, TransactionCosts } from "../../domain/ledger/house-entries.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import {
  APPROVALS_NEEDED,
  currencyKey,
  euroCentsOf,
  limitsOf,
  TOTAL_KEY,
} from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { hurryJobs } from "../../storage/jobs/jobs.ts";
import { listPayoutLimits } from "../../storage/payouts/controls.ts";
import {
  answerMismatch,
  decideMismatch,
  listAgreeing,
  lockMismatch,
  type MismatchDecision,
  type MismatchOutcome,
  readLeft,
  recordMismatch,
} from "../../storage/payouts/mismatches.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { describeEarlier, requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireUnits } from "../requirements.ts";
import { requirePayout } from "./require-payout.ts";

export interface ResolvePayout {
  readonly intentId: string;
  /** `paid`: the customer has what they are owed. `unpaid`: they have nothing, and the order goes to review. */
  readonly outcome: Exclude<MismatchOutcome, "moved">;
  /** The whole coins that left our wallet by the transaction. */
  readonly left: Decimal;
  readonly by: Operator;
}

export interface PayoutResolution {
  readonly agreedBy: readonly string[];
  readonly peopleMissing: number;
}

type ResolveDeps = Pick<Deps, "database" | "catalogue" | "environment">;

/**
 * Records a person's decision about a payout whose transaction moved something else than was owed. Where the payout, or
 * what left, is above the limit of approvals, two people must say the same. The payout's job then books the end.
 * Refuses NOT_FOUND, INVALID_ORDER_STATE, INVALID_INPUT and AMOUNT_PRECISION.
 */
export async function resolvePayout(
  deps: ResolveDeps,
  command: ResolvePayout,
): Promise<PayoutResolution> {
  const by = requireOperator(deps, command.by);
  const { intent } = await requirePayout(deps, command.intentId);
  const currency = deps.catalogue().requireCurrency(intent.assetId);
  const left = requireUnits(currency, command.left);
  const decision = { outcome: command.outcome, left };
  const leftCents = euroCentsOf({ asset: currency, units: left });
  const euroCents = leftCents > intent.euroCents ? leftCents : intent.euroCents;
  const subject = { ...intent, name: `Payout ${intent.id}`, euroCents };
  const resolution = await deps.database.transaction(async (tx) => {
    const requireLeft = (hash: string) => requireWhatLeft(tx, deps, { ...subject, decision, hash });
    const recorded = await recordDecision(tx, deps, { subject, decision, by, requireLeft });
    if (recorded.peopleMissing === 0) await hurryJobs(tx, intent.orderId);
    return recorded;
  });
  return resolution;
}

/** A payout or a sweep whose transaction moved something else. */
export interface ResolvedSubject {
  readonly id: string;
  /** The kind and the id, as in `Payout 0198c1f0-…`. */
  readonly name: string;
  readonly state: string;
  readonly networkCode: string | null;
  readonly assetId: number;
  /** The value that decides how many people must say the same. */
  readonly euroCents: bigint;
}

export interface Resolving {
  readonly subject: ResolvedSubject;
  readonly decision: MismatchDecision;
  readonly by: Operator;
  /** Refuses units that the chain contradicts. */
  readonly requireLeft: (hash: string) => Promise<void>;
}

/** Records what a person says, and the decision once enough people say the same. */
export async function recordDecision(
  tx: Tx,
  deps: Pick<Deps, "catalogue" | "environment">,
  { subject, decision, by, requireLeft }: Resolving,
): Promise<PayoutResolution> {
  const { id, name, state } = subject;
  const mismatch = await lockMismatch(tx, id);
  if (!mismatch) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `${name} is ${state}. None of its transactions moved anything but what was owed, so there is nothing to resolve.`,
    });
  }
  if (mismatch.isDecided) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `${name} was already resolved. Its job will book the outcome.`,
    });
  }
  await requireLeft(mismatch.hash);
  const other = await answerMismatch(tx, id, decision, by);
  if (other !== undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `${describeEarlier(by, [other])} has already answered. A second person must answer from their own account.`,
    });
  }
  const agreedBy = await listAgreeing(tx, id, decision);
  const peopleMissing = Math.max(0, (await peopleNeeded(tx, deps, subject)) - agreedBy.length);
  await logControl(tx, {
    operator: by,
    action: "resolve_payout",
    subject: id,
    details: { transaction: mismatch.hash },
    before: null,
    after: { outcome: decision.outcome, leftUnits: String(decision.left), agreedBy },
  });
  if (peopleMissing === 0) await decideMismatch(tx, id, decision);
  return { agreedBy, peopleMissing };
}

/** The units that are said to have left our wallets by a transaction. */
export interface SaidToLeave {
  readonly networkCode: string | null;
  readonly assetId: number;
  readonly hash: string;
  readonly decision: MismatchDecision;
}

/** The chain's own movements are believed, where they were read. */
async function requireWhatLeft(
  tx: Tx,
  deps: Pick<Deps, "catalogue">,
  said: SaidToLeave,
): Promise<void> {
  const { networkCode, assetId, hash, decision } = said;
  const left = await readLeft(tx, { networkCode: networkCode ?? "", hash, assetId });
  if (left === undefined || left === decision.left) return;
  throw otherAmount(deps, said, left);
}

export function otherAmount(
  { catalogue }: Pick<Deps, "catalogue">,
  { assetId, hash }: Pick<SaidToLeave, "assetId" | "hash">,
  left: bigint,
): Refusal {
  const currency = catalogue().requireCurrency(assetId);
  const coins = unitsText(currency, left);
  return new Refusal("INVALID_INPUT", {
    message: `The chain shows that transaction ${hash} moved ${coins} ${currency.reference} out of our wallet. Enter that amount.`,
  });
}

/** Returns the number of people who must say the same: that of the approvals of a payout of this value. */
async function peopleNeeded(
  tx: Tx,
  { catalogue, environment }: Pick<Deps, "catalogue" | "environment">,
  { assetId, euroCents }: ResolvedSubject,
): Promise<number> {
  const { reference } = catalogue().requireCurrency(assetId);
  const book = { environment, rows: await listPayoutLimits(tx) };
  const isAbove = [currencyKey(reference), TOTAL_KEY]
    .map((key) => limitsOf(book, key).approvalAboveCents)
    .some((limit) => limit !== null && euroCents > limit);
  return isAbove ? APPROVALS_NEEDED : 1;
}

/** How a payout or a sweep ended that moved something else, and what its transaction cost. */
export interface DecidedEnd extends TransactionCosts {
  readonly outcome: MismatchOutcome;
}

/** Records a mismatch. Returns how it ended, or undefined while people have not decided. */
export async function findDecision(
  { database, catalogue }: Pick<Deps, "database" | "catalogue">,
  { id, assetId, units }: Pick<PayoutIntent, "id" | "assetId" | "units">,
  found: { readonly hash: string; readonly why: string; readonly networkFee: PaidNetworkFee },
): Promise<DecidedEnd | undefined> {
  const { hash, why, networkFee } = found;
  const fee = networkFee.amount.units;
  const decision = await recordMismatch(database, { intentId: id, hash, why, fee });
  if (decision === undefined) return undefined;
  const { outcome, left } = decision;
  const booked = outcome === "paid" ? units : 0n;
  const amount = money(catalogue().requireCurrency(assetId), left - booked);
  const { networkCode } = networkFee;
  return { outcome, networkFee, difference: { networkCode, hash, amount } };
}
