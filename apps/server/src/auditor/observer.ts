import { type AlertFacts, findCauses, kindOf, RUNBOOKS } from "../domain/alerts/causes.ts";
import { limitsOf, TOTAL_KEY } from "../domain/payouts/limits.ts";
import { STOP_KINDS } from "../domain/payouts/stop.ts";
import type { Deps } from "../flows/deps.ts";
import { repeat } from "../flows/repeat.ts";
import { forget, type Metrics } from "../metrics/metrics.ts";
import { type AlertChannel, listOpenAlerts, recordCauses } from "../storage/alerts/alerts.ts";
import { type Readings, readGauges } from "../storage/audit/gauges.ts";
import { noteObserved } from "../storage/audit/progress.ts";
import { listPayoutLimits, readOutflows } from "../storage/payouts/controls.ts";

const INTERVAL_MS = 10_000;
/** A rail that fails for a shorter time is not reported: calls are repeated. */
const RAIL_DOWN_MS = 60_000;
/** The rules of Prometheus wait as long for the same causes. */
const SETTLED_AFTER_SECONDS = 300;
const CENTS_PRECISION = 10_000n;

export type ObserverDeps = Pick<Deps, "database" | "environment" | "ids" | "log" | "metrics">;

/** A kind of call to a rail that fails. */
export interface FailingCall {
  readonly call: string;
  /** From its first failure to its last. */
  readonly lastingMs: number;
}

export interface ObserverOptions {
  /** Whether this process is the auditor now. One process of all reads the gauges. */
  readonly isAuditor: () => boolean;
  /** The rails of which a call fails, with the one that fails for the longest. */
  readonly failingRails: () => ReadonlyMap<string, FailingCall>;
  /** The references of the assets whose float is low. */
  readonly lowFloats: () => readonly string[];
  /** Whether quotes have prices. */
  readonly hasPrices: () => boolean;
  /** The codes of the networks that the rails file follows. */
  readonly liveNetworks: readonly string[];
  /** For how long after a start of the service overdue work begins no alert. By default five minutes. */
  readonly settledAfterSeconds?: number;
  /** The ways in which messages reach the operator. */
  readonly channels: readonly AlertChannel[];
}

/**
 * Reads the state of the work every ten seconds, for the metrics and for messages to the operator. Returns the function
 * that ends it.
 */
export function startObserver(deps: ObserverDeps, options: ObserverOptions): () => Promise<void> {
  return repeat({
    everyMs: INTERVAL_MS,
    round: makeObserve(deps, options),
    failed: (err) => deps.log.warn({ err }, "the state of the work cannot be read, retrying"),
  });
}

/** Returns the function that reads once. */
export function makeObserve(
  deps: ObserverDeps,
  { settledAfterSeconds = SETTLED_AFTER_SECONDS, ...options }: ObserverOptions,
): () => Promise<void> {
  const { isAuditor, failingRails, lowFloats, hasPrices, liveNetworks, channels } = options;
  let pricesMissingSinceMs: number | undefined;
  return async () => {
    if (!isAuditor()) return clear(deps.metrics);
    const observedSeconds = await noteObserved(deps.database);
    const isSettled = observedSeconds >= settledAfterSeconds;
    const stored = await readGauges(deps.database);
    const unread = isSettled ? unreadNetworks(stored, liveNetworks) : [];
    const readings = { ...stored, networks: [...stored.networks, ...unread] };
    const used = await readLimitUse(deps);
    setGauges(deps.metrics, readings, used);
    pricesMissingSinceMs = hasPrices() ? undefined : (pricesMissingSinceMs ?? performance.now());
    const now = performance.now();
    const missingMs = pricesMissingSinceMs === undefined ? 0 : now - pricesMissingSinceMs;
    const causes = findCauses({
      ...factsOf(readings),
      railsDown: railsDown(readings, { failing: failingRails(), missingMs }),
      lowFloats: lowFloats(),
      isSettled,
    });
    await recordCauses(
      deps.database,
      causes.map((each) => ({ ...each, id: deps.ids.orderedUuid() })),
      { channels },
    );
    const open = await listOpenAlerts(deps.database);
    for (const kind of Object.keys(RUNBOOKS)) {
      const count = open.filter(({ cause }) => kindOf(cause) === kind).length;
      deps.metrics.alertsOpen.set({ cause: kind }, count);
    }
  };
}

const sumOf = (counted: readonly { readonly count: number }[]): number =>
  counted.reduce((sum, { count }) => sum + count, 0);

/** A scanner stores its problem beside its block. One that never read a block has no row to store it in. */
const unreadNetworks = ({ networks }: Readings, codes: readonly string[]): Readings["networks"] =>
  codes
    .filter((code) => networks.every(({ network }) => network !== code))
    .map((network) => ({
      network,
      problem: "no block of it was ever read. exchange doctor says why.",
      movedAt: 0,
    }));

interface RailFacts {
  readonly failing: ReadonlyMap<string, FailingCall>;
  /** How long there have been no prices. */
  readonly missingMs: number;
}

/** Returns the rails and networks that do not work, with why. */
const railsDown = (
  { networks }: Readings,
  { failing, missingMs }: RailFacts,
): AlertFacts["railsDown"] => [
  ...networks.flatMap(({ network, problem }) =>
    problem === null ? [] : [{ rail: `chain:${network}`, why: problem }],
  ),
  ...[...failing].flatMap(([rail, { call, lastingMs }]) =>
    lastingMs > RAIL_DOWN_MS
      ? [{ rail, why: `calls of the kind ${call} have failed for more than a minute.` }]
      : [],
  ),
  ...(missingMs > RAIL_DOWN_MS ? [{ rail: "prices", why: "no source of prices is sound." }] : []),
];

function factsOf(readings: Readings): Omit<AlertFacts, "railsDown" | "lowFloats" | "isSettled"> {
  const { stops, breaks, heldExcess, waits, orders, payouts, jobs, jobsFailing } = readings;
  const { deliveryLate, endpointsDisabled, auditPassedAt, installedAt, railsComparedAt } = readings;
  // An order in review counts its own payout, which has a wait too. A refund may be held while its order goes on.
  const heldRefunds = waits.filter(
    ({ outcome, purpose }) => outcome === "hold" && purpose !== "payout",
  );
  const ageOf = (at: number): number => Date.now() / 1_000 - at;
  return {
    stops,
    breaks,
    heldExcess,
    heldRefunds: sumOf(heldRefunds),
    jobLate: Math.max(0, ...jobs.map(({ oldest }) => oldest)),
    jobsFailing,
    deliveryLate,
    endpointsDisabled,
    orders,
    notFinal: payouts.filter(({ state }) => state === "not_final"),
    auditAge: ageOf(auditPassedAt ?? installedAt),
    comparedAge: ageOf(railsComparedAt),
  };
}

type LimitUse = Readonly<Record<"hour" | "day", number | undefined>>;

/** Returns how much of the limits of all currencies together was released. */
async function readLimitUse({ database, environment }: ObserverDeps): Promise<LimitUse> {
  const limits = limitsOf({ environment, rows: await listPayoutLimits(database) }, TOTAL_KEY);
  const { hourCents, dayCents } = limits;
  if (hourCents === null && dayCents === null) return { hour: undefined, day: undefined };
  const outflows = [...(await readOutflows(database)).values()];
  const hour = outflows.reduce((sum, out) => sum + out.hourCents, 0n);
  const day = outflows.reduce((sum, out) => sum + out.dayCents, 0n);
  return { hour: shareOf(hour, hourCents), day: shareOf(day, dayCents) };
}

function shareOf(cents: bigint, limit: bigint | null): number | undefined {
  if (limit === null) return undefined;
  return limit === 0n ? 1 : Number((cents * CENTS_PRECISION) / limit) / Number(CENTS_PRECISION);
}

/** The gauges that are read from the database. */
const OBSERVED = [
  "ordersOpen",
  "orderOldest",
  "ordersInReview",
  "payoutsOpen",
  "payoutOldest",
  "payoutsWaiting",
  "payoutStops",
  "limitUsed",
  "historyRestored",
  "jobsDue",
  "jobOldest",
  "jobsFailing",
  "webhooksPending",
  "webhookOldest",
  "webhookEndpoints",
  "auditBreaks",
  "auditPassedAt",
  "railsComparedAt",
  "networkUp",
  "networkMovedAt",
  "alertsOpen",
] as const satisfies readonly (keyof Metrics)[];

/** Forgets what this process read, because another one is the auditor now. */
function clear(metrics: Metrics): void {
  for (const key of OBSERVED) forget(metrics, key);
}

const WAITS = ["wait", "hold"] as const;

function setGauges(metrics: Metrics, readings: Readings, used: LimitUse): void {
  clear(metrics);
  setOrders(metrics, readings);
  for (const { rail, state, count, oldest } of readings.payouts) {
    metrics.payoutsOpen.set({ rail, state }, count);
    metrics.payoutOldest.set({ rail, state }, oldest);
  }
  for (const outcome of WAITS) {
    const count = sumOf(readings.waits.filter((each) => each.outcome === outcome));
    metrics.payoutsWaiting.set({ outcome }, count);
  }
  for (const scope of STOP_KINDS) {
    metrics.payoutStops.set({ scope }, readings.stops.filter(({ kind }) => kind === scope).length);
  }
  for (const [window, share] of Object.entries(used)) {
    if (share !== undefined) metrics.limitUsed.set({ window }, share);
  }
  for (const { kind, count, oldest } of readings.jobs) {
    metrics.jobsDue.set({ kind }, count);
    metrics.jobOldest.set({ kind }, oldest);
  }
  for (const { kind, count } of readings.jobsFailing) metrics.jobsFailing.set({ kind }, count);
  for (const { network, problem, movedAt } of readings.networks) {
    metrics.networkUp.set({ network }, problem === null ? 1 : 0);
    if (movedAt > 0) metrics.networkMovedAt.set({ network }, movedAt);
  }
  metrics.historyRestored.set(readings.isRestored ? 1 : 0);
  metrics.webhooksPending.set(readings.pendingDeliveries);
  metrics.webhookOldest.set(readings.deliveryLate);
  for (const [state, count] of Object.entries(readings.endpoints)) {
    metrics.webhookEndpoints.set({ state }, count);
  }
  metrics.auditBreaks.set(readings.breaks);
  if (readings.auditPassedAt !== null) metrics.auditPassedAt.set(readings.auditPassedAt);
  metrics.railsComparedAt.set(readings.railsComparedAt);
}

/** The rows differ in their reason too, so several add to one series. */
function setOrders(metrics: Metrics, { orders }: Readings): void {
  const oldestOf = new Map<string, number>();
  for (const { status, operation, reason, count, oldest } of orders) {
    const key = `${status} ${operation}`;
    oldestOf.set(key, Math.max(oldest, oldestOf.get(key) ?? 0));
    metrics.ordersOpen.inc({ status, operation }, count);
    metrics.orderOldest.set({ status, operation }, oldestOf.get(key) ?? 0);
    if (status === "in_review") metrics.ordersInReview.inc({ reason: reason ?? "none" }, count);
  }
}
