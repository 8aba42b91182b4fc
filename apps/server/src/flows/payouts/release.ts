import type { Order } from "../../domain/orders/order.ts";
import type { HoldReason } from "../../domain/orders/status.ts";
import { currencyKey, isLimited, limitsOf, TOTAL_KEY } from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { decideRelease, type Meter, type Release } from "../../domain/payouts/release.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import { applyStepIn } from "../../storage/orders/apply-step.ts";
import { lockOrder } from "../../storage/orders/orders.ts";
import { listPayoutApprovals } from "../../storage/payouts/approvals.ts";
import {
  deletePayoutWait,
  isPayoutStopped,
  listPayoutLimits,
  lockReleases,
  notePayoutWait,
  readOutflow,
} from "../../storage/payouts/controls.ts";
import { bindNonce, lockPayoutIntent } from "../../storage/payouts/intents.ts";
import { stopsOfPayout } from "../../storage/payouts/stops.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";

/** The controls' decision about a payout. */
export type PayoutRelease =
  /** It is released and bound, so it may be signed. */
  | { readonly outcome: "go" }
  /** The payout is decided on again later. */
  | { readonly outcome: "wait"; readonly delayMs: number; readonly why: string }
  /** A person decides about its order. */
  | { readonly outcome: "hold"; readonly reason: HoldReason; readonly note: string }
  /** It was cancelled, or its order is already in review. */
  | { readonly outcome: "unwanted" };

export type ReleaseDeps = Pick<Deps, "database" | "catalogue" | "environment">;

/**
 * The wait before a payout is decided on again. A lifted stop or an approval ends the wait early.
 */
const ASK_AGAIN_MS = 10_000;

/**
 * Releases a payout and binds it to its sequence number in the wallet, unless a stop or a limit
 * prevents it. This is the last step before it is signed. A released payout stays released; then
 * only a stop can delay it. A refund waits where a payout's order would be held, since its order is
 * already in review.
 *
 * This stays a locked transaction. Decisions against a limit take turns, so that two payouts cannot
 * pass under the same limit. The order's lock comes before the limits' locks.
 */
export async function releasePayout(
  deps: ReleaseDeps,
  { intent }: { readonly intent: PayoutIntent },
): Promise<PayoutRelease> {
  try {
    const release = await deps.database.transaction((tx) => decide(tx, deps, intent));
    return release ? toPayoutRelease(release, intent) : { outcome: "unwanted" };
  } catch (error) {
    if (!isPayoutStopped(error)) throw error;
    return { outcome: "wait", delayMs: ASK_AGAIN_MS, why: "a stop was set just now" };
  }
}

function toPayoutRelease(release: Release, { purpose }: PayoutIntent): PayoutRelease {
  if (release.outcome === "go") return release;
  if (release.outcome === "hold" && purpose === "payout") {
    return { outcome: "hold", reason: "limit_exceeded", note: release.why };
  }
  return { outcome: "wait", delayMs: ASK_AGAIN_MS, why: release.why };
}

async function decide(
  tx: Tx,
  deps: ReleaseDeps,
  { id, orderId }: PayoutIntent,
): Promise<Release | undefined> {
  const [reading, intent] = await Promise.all([lockOrder(tx, orderId), lockPayoutIntent(tx, id)]);
  if (!reading || !intent) throw new Error(`payout intent ${id} or its order is missing`);
  if (!isWanted(reading.order, intent)) return undefined;
  const [stops, meters] = await Promise.all([
    stopsOfPayout(tx, id),
    intent.releasedAt === null ? readMeters(tx, deps, intent) : [],
  ]);
  const approvals = meters.length > 0 ? await listPayoutApprovals(tx, id) : [];
  const release = decideRelease({
    cents: intent.euroCents,
    stopped: stops.map((stop) => `${describeStop(stop)} (${stop.reason})`),
    isReleased: intent.releasedAt !== null,
    approvals: approvals.length,
    meters,
  });
  if (release.outcome === "go") await bind(tx, reading.order, intent);
  else await notePayoutWait(tx, id, release);
  return release;
}

/** A refund stays owed, also where another refund of the order was rejected meanwhile. */
const isWanted = (order: Order, { purpose, state }: PayoutIntent): boolean =>
  state !== "void" && (purpose !== "payout" || order.status === "sending");

/** The step raises the order's version, so a concurrent hold or refund is decided on again. */
async function bind(tx: Tx, order: Order, intent: PayoutIntent): Promise<void> {
  if (intent.releasedAt === null) {
    await applyStepIn(tx, { order, payout: { id: intent.id, isReleased: true } });
    await deletePayoutWait(tx, intent.id);
  }
  if (intent.rail === "chain") await bindNonce(tx, intent.id);
}

/**
 * Returns the limits that apply and the amounts sent against them. The lock excludes other
 * decisions.
 */
async function readMeters(tx: Tx, deps: ReleaseDeps, intent: PayoutIntent): Promise<Meter[]> {
  if ((await readApplying(tx, deps, intent)).length === 0) return [];
  await lockReleases(tx);
  const meters: Meter[] = [];
  // Read again: the last holder of the lock may have changed the limits.
  for (const { name, limits, asset } of await readApplying(tx, deps, intent)) {
    meters.push({ name, limits, out: await readOutflow(tx, asset) });
  }
  return meters;
}

async function readApplying(tx: Tx, deps: ReleaseDeps, intent: PayoutIntent) {
  const { environment } = deps;
  const { reference, code } = deps.catalogue().requireCurrency(intent.assetId);
  const book = { environment, rows: await listPayoutLimits(tx) };
  const candidates = [
    { limits: limitsOf(book, currencyKey(reference)), name: code, asset: intent.assetId },
    { limits: limitsOf(book, TOTAL_KEY), name: "all currencies", asset: "all" as const },
  ];
  return candidates.filter(({ limits }) => isLimited(limits));
}
