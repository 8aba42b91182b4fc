import type { HoldReason } from "../../domain/orders/status.ts";
import { currencyKey, isLimited, limitsOf, TOTAL_KEY } from "../../domain/payouts/limits.ts";
import { decideRelease, type Meter, type Release } from "../../domain/payouts/release.ts";
import { describeStop } from "../../domain/payouts/stop.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { listPayoutApprovals } from "../../storage/payouts/approvals.ts";
import {
  isPayoutStopped,
  listPayoutLimits,
  lockReleases,
  notePayoutWait,
  readOutflow,
  releaseIntent,
} from "../../storage/payouts/controls.ts";
import { lockPayoutIntent, type PayoutIntent } from "../../storage/payouts/intents.ts";
import { stopsOfPayout } from "../../storage/payouts/stops.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { currencyOf } from "../orders/event-payload.ts";
import { requireOrder } from "../orders/require-order.ts";

/** What the controls say of a payout: send it, ask again later, or hold its order for a person. */
export type PayoutRelease =
  | { readonly outcome: "go" }
  | { readonly outcome: "wait"; readonly delayMs: number; readonly why: string }
  | { readonly outcome: "hold"; readonly reason: HoldReason; readonly note: string };

export type ReleaseDeps = Pick<Deps, "database" | "catalogue" | "environment">;

/** How soon a payout that waits asks again; lifting a stop and approving hurry it. */
const ASK_AGAIN_MS = 10_000;

/**
 * Whether a payout may be bound and signed, asked before either. One short database transaction,
 * one payout at a time where a limit applies, so that two cannot pass under the same limit. What was
 * released stays so; only a stop holds it up then. Refunds wait where a payout's order would be held,
 * since their order already is with a person.
 */
export async function releasePayout(
  deps: ReleaseDeps,
  payout: { readonly job: LeasedJob; readonly intent: PayoutIntent },
): Promise<PayoutRelease> {
  const { intent } = payout;
  try {
    const release = await deps.database.transaction((tx) => decide(tx, deps, intent));
    return told(release, intent);
  } catch (error) {
    if (!isPayoutStopped(error)) throw error;
    return { outcome: "wait", delayMs: ASK_AGAIN_MS, why: "a stop was set just now" };
  }
}

function told(release: Release, { purpose }: PayoutIntent): PayoutRelease {
  if (release.outcome === "go") return release;
  if (release.outcome === "hold" && purpose === "payout") {
    return { outcome: "hold", reason: "limit_exceeded", note: release.why };
  }
  return { outcome: "wait", delayMs: ASK_AGAIN_MS, why: release.why };
}

async function decide(tx: Tx, deps: ReleaseDeps, of: PayoutIntent): Promise<Release> {
  // The order's lock first, as whoever holds, refunds or binds it takes it.
  const [order, intent] = await Promise.all([
    requireOrder(tx, of.orderId),
    lockPayoutIntent(tx, of.id),
  ]);
  if (!intent) throw new Error(`payout intent ${of.id} is missing`);
  if (!isAsked(order, intent)) return { outcome: "go" };
  const intentId = intent.id;
  const [stops, meters] = await Promise.all([
    stopsOfPayout(tx, intentId),
    intent.releasedAt === null ? readMeters(tx, deps, intent) : [],
  ]);
  const approvals = meters.length > 0 ? await listPayoutApprovals(tx, intentId) : [];
  const release = decideRelease({
    cents: intent.euroCents,
    stopped: stops.map((stop) => `${describeStop(stop)} (${stop.reason})`),
    isReleased: intent.releasedAt !== null,
    approvals: approvals.length,
    meters,
  });
  if (release.outcome === "go") releaseIntent(tx, intentId);
  else await notePayoutWait(tx, intentId, release);
  return release;
}

/** An order that somebody held meanwhile has nothing to release; binding the payout will say so. */
const isAsked = (order: Order, { purpose, state }: PayoutIntent): boolean =>
  state === "created" && (purpose !== "payout" || order.status === "sending");

/** The limits that apply, with what has gone out against them; nobody else decides meanwhile. */
async function readMeters(tx: Tx, deps: ReleaseDeps, intent: PayoutIntent): Promise<Meter[]> {
  if ((await readApplying(tx, deps, intent)).length === 0) return [];
  await lockReleases(tx);
  const meters: Meter[] = [];
  // Read again: whoever had the lock may have set other limits.
  for (const { name, limits, asset } of await readApplying(tx, deps, intent)) {
    meters.push({ name, limits, out: await readOutflow(tx, asset) });
  }
  return meters;
}

async function readApplying(tx: Tx, deps: ReleaseDeps, intent: PayoutIntent) {
  const { environment } = deps;
  const { reference, code } = currencyOf(deps.catalogue(), intent.assetId);
  const book = { environment, rows: await listPayoutLimits(tx) };
  const candidates = [
    { limits: limitsOf(book, currencyKey(reference)), name: code, asset: intent.assetId },
    { limits: limitsOf(book, TOTAL_KEY), name: "all currencies", asset: "all" as const },
  ];
  return candidates.filter(({ limits }) => isLimited(limits));
}
