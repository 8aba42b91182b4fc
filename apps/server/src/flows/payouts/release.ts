import type { Order } from "../../domain/orders/order.ts";
import { joinPayouts } from "../../domain/payouts/batches.ts";
import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { decideRelease, type ReleaseVerdict } from "../../domain/payouts/release.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { applyStepsIn } from "../../storage/orders/apply-step.ts";
import type { OrderStep } from "../../storage/orders/order-step.ts";
import { lockOrders } from "../../storage/orders/orders.ts";
import { countPayoutApprovals } from "../../storage/payouts/approvals.ts";
import { leaveSharedSend, listWaiting, lockJoinable } from "../../storage/payouts/batches.ts";
import { isPayoutStopped } from "../../storage/payouts/controls.ts";
import { lockPayoutIntents } from "../../storage/payouts/intents.ts";
import { bindPlaces, type NewSend } from "../../storage/payouts/sends.ts";
import { stopsOfPayouts } from "../../storage/payouts/stops.ts";
import { deletePayoutWaits, notePayoutWait } from "../../storage/payouts/waits.ts";
import { makeBatcher } from "../../storage/postgres/batches.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { isRestored } from "../history/require-reconciled.ts";
import { stepOf } from "../orders/step-of.ts";
import { readMeters } from "./release-meters.ts";

/** The controls' decision about a payout. */
export type PayoutRelease =
  /** The payout is released and bound, so it may be signed. */
  | { readonly outcome: "go"; readonly intent: BoundPayout }
  /** The payout is decided on again later. */
  | { readonly outcome: "wait"; readonly delayMs: number; readonly why: string }
  /** The payout's order was held for a person. */
  | { readonly outcome: "hold"; readonly note: string }
  /** The payout was cancelled, or its order is already in review. */
  | { readonly outcome: "unwanted" };

export type ReleaseDeps = Pick<
  Deps,
  "database" | "catalogue" | "environment" | "ids" | "chain" | "clock"
>;

/** The parts that send payouts. */
export interface PayoutDeps extends Deps {
  readonly releasePayout: ReleasePayout;
  /** False until the rails' statements were compared with the books. */
  readonly mayRelease: () => boolean;
}

/** Returns whether an unsigned payout may have been paid all the same: the database may lack what was done after a backup. */
export const mayBePaid = async ({ database, mayRelease }: PayoutDeps): Promise<boolean> =>
  !mayRelease() || (await isRestored(database));

/**
 * The wait before a payout is decided on again. A lifted stop or an approval ends the wait early.
 */
const ASK_AGAIN_MS = 10_000;

/** Releases a payout and binds it to a place of its wallet, unless a stop or a limit prevents it. */
export type ReleasePayout = (intent: PayoutIntent) => Promise<PayoutRelease>;

/** Decisions against a limit take turns. Payouts that wait for a turn take the next one together. */
const PAYOUTS_IN_A_TURN_MAX = 64;
const HELD = { kind: "held", reason: "limit_exceeded", by: "system" } as const;

/**
 * Releasing is the last step before a payout is signed. A released payout stays released; then only a stop can
 * delay it. A refund waits where a payout's order would be held, since its order is already in review.
 */
export const makeReleasePayout = (deps: ReleaseDeps): ReleasePayout =>
  makeBatcher<PayoutIntent, PayoutRelease>({
    run: (intents) => releaseAll(deps, intents),
    keyOf: ({ orderId }) => String(orderId),
    batchesInFlightMax: 1,
    itemsMax: PAYOUTS_IN_A_TURN_MAX,
  });

/**
 * This stays a locked transaction. Decisions against a limit take turns, so that two payouts cannot pass under
 * the same limit. The orders' locks come before the limits' lock.
 */
async function releaseAll(
  deps: ReleaseDeps,
  intents: readonly PayoutIntent[],
): Promise<PayoutRelease[]> {
  try {
    const decisions = await deps.database.transaction((tx) => decideAll(tx, deps, intents));
    return decisions.map(toPayoutRelease);
  } catch (error) {
    // The batcher runs each payout of a batch that failed by itself, so a stop delays only the payouts it covers.
    if (intents.length > 1 || !isPayoutStopped(error)) throw error;
    return [{ outcome: "wait", delayMs: ASK_AGAIN_MS, why: "a stop was set just now" }];
  }
}

/** The decision about a payout. It has no release when it is no longer wanted. */
interface Decision {
  readonly intent: PayoutIntent;
  readonly release: ReleaseVerdict | undefined;
  /** The payout as the turn recorded it. */
  readonly recorded: BoundPayout | undefined;
}

function toPayoutRelease({ intent, release, recorded }: Decision): PayoutRelease {
  if (!release || !recorded) return { outcome: "unwanted" };
  if (release.outcome === "go") return { outcome: "go", intent: recorded };
  if (release.outcome === "hold" && intent.purpose === "payout") {
    return { outcome: "hold", note: release.why };
  }
  return { outcome: "wait", delayMs: ASK_AGAIN_MS, why: release.why };
}

/** A payout that may be released, with its order; both rows are locked. */
interface Candidate {
  readonly order: Order;
  readonly intent: PayoutIntent;
}

/** The payouts of a turn and the decisions about them. Both are undefined where a payout is no longer wanted. */
interface Turn {
  readonly candidates: readonly (Candidate | undefined)[];
  readonly releases: readonly (ReleaseVerdict | undefined)[];
}

/** Decides about each payout in turn: a payout that goes counts against the limits of those after it. */
async function decideAll(
  tx: Tx,
  deps: ReleaseDeps,
  intents: readonly PayoutIntent[],
): Promise<Decision[]> {
  const candidates = await lockAll(tx, intents);
  const ids = candidates.flatMap((each) => (each ? [each.intent.id] : []));
  const stops = await stopsOfPayouts(tx, ids);
  const unreleased = candidates.flatMap((each) =>
    each?.intent.releasedAt === null ? [each.intent] : [],
  );
  const meters = await readMeters(tx, deps, unreleased);
  const approvals = meters ? await countPayoutApprovals(tx, ids) : undefined;
  const releases = candidates.map((each) => {
    if (!each) return undefined;
    const { intent } = each;
    const isReleased = intent.releasedAt !== null;
    const release = decideRelease({
      cents: intent.euroCents,
      stopped: stops
        .filter(({ intentId }) => intentId === intent.id)
        .map((stop) => `${describeStop(stop)} (${stop.reason})`),
      isReleased,
      approvals: approvals?.get(intent.id) ?? 0,
      meters: isReleased ? [] : (meters?.of(intent) ?? []),
    });
    if (release.outcome === "go" && !isReleased) meters?.add(intent);
    return release;
  });
  await record(tx, deps, { candidates, releases });
  const recorded = await lockPayoutIntents(tx, ids);
  return intents.map((intent, at) => ({
    intent,
    release: releases[at],
    recorded: recorded.get(intent.id),
  }));
}

/** Locks the orders, then the payouts. Returns undefined for a payout that is no longer wanted. */
async function lockAll(
  tx: Tx,
  intents: readonly PayoutIntent[],
): Promise<(Candidate | undefined)[]> {
  const orders = await lockOrders(
    tx,
    intents.map(({ orderId }) => orderId),
  );
  const locked = await lockPayoutIntents(
    tx,
    intents.map(({ id }) => id),
  );
  return intents.map(({ id, orderId }) => {
    const [order, intent] = [orders.get(orderId), locked.get(id)];
    if (!order || !intent) throw new Error(`payout intent ${id} or its order is missing`);
    return isWanted(order, intent) ? { order, intent } : undefined;
  });
}

/** A refund stays owed even if another refund of the order was rejected meanwhile. */
const isWanted = (order: Order, { purpose, state }: PayoutIntent): boolean =>
  state !== "void" && (purpose !== "payout" || order.status === "sending");

/**
 * The step raises the order's version, so a concurrent hold or refund is decided on again. A hold is written in the
 * turn that decided it. An approval waits for the locks of the turn, so it finds the order that it releases.
 */
async function record(tx: Tx, deps: ReleaseDeps, { candidates, releases }: Turn): Promise<void> {
  const going: Candidate[] = [];
  const steps: OrderStep[] = [];
  for (const [at, release] of releases.entries()) {
    const candidate = candidates[at];
    if (!candidate || !release) continue;
    if (release.outcome === "go") {
      going.push(candidate);
      continue;
    }
    const { order, intent } = candidate;
    await notePayoutWait(tx, intent.id, release);
    await leaveSharedSend(tx, intent.id);
    if (release.outcome === "hold" && intent.purpose === "payout") {
      steps.push({ order, ...stepOf(deps, order, HELD, deps.clock.now()) });
    }
  }
  const released = going.filter(({ intent }) => intent.releasedAt === null);
  for (const { order, intent } of released) {
    steps.push({ order, payout: { id: intent.id, isReleased: true } });
  }
  if (steps.length > 0) await applyStepsIn(tx, steps);
  const ids = released.map(({ intent }) => intent.id);
  if (ids.length > 0) await deletePayoutWaits(tx, ids);
  const chain = going.filter(({ intent }) => intent.rail === "chain");
  if (chain.length > 0) await bindPlaces(tx, await sendsOf(tx, deps, chain));
}

/** Returns a new send for each payout, or one that it shares with others where its network allows that. */
async function sendsOf(
  tx: Tx,
  { ids, chain }: ReleaseDeps,
  going: readonly Candidate[],
): Promise<readonly NewSend[]> {
  const rulesOf = (code: string | null) => chain?.batchOf?.(code ?? "");
  const alone = going.filter(({ intent }) => rulesOf(intent.networkCode) === undefined);
  const own = alone.map(({ intent }) => ({ intentId: intent.id, sendId: ids.uuid() }));
  if (alone.length === going.length) return own;
  const sharing = going.filter((one) => !alone.includes(one)).map(({ intent }) => intent);
  const codes = [...new Set(sharing.map(({ networkCode }) => networkCode ?? ""))];
  const waiting = await listWaiting(
    tx,
    sharing.map(({ id }) => id),
  );
  const joined = joinPayouts(waiting, await lockJoinable(tx, codes), {
    outputsMax: (code) => rulesOf(code)?.outputsMax ?? 1,
    newId: () => ids.uuid(),
  });
  return [
    ...own,
    ...joined.map(({ networkCode, ...send }) => {
      return { ...send, joinsSeconds: rulesOf(networkCode)?.seconds ?? 0 };
    }),
  ];
}
