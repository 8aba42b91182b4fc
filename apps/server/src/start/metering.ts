import type { FailingCall } from "../auditor/observer.ts";
import { PayoutWaits } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { Deps } from "../flows/deps.ts";
import type { Metrics, MetricsRegistry } from "../metrics/metrics.ts";
import type { BatchedWrites } from "../storage/batched-writes.ts";
import type { LoopWatch } from "./watch-loops.ts";
import { withCalls } from "./with-calls.ts";

/** Counts the orders that this process places and moves, and how long they took. */
export function meterWrites(writes: BatchedWrites, metrics: Metrics): BatchedWrites {
  return {
    ...writes,
    placeNewOrder: async (placing) => {
      const order = await writes.placeNewOrder(placing);
      if (order) metrics.ordersPlaced.inc({ operation: order.operation });
      return order;
    },
    applyStep: async (step) => {
      const applied = await writes.applyStep(step);
      const from = step.order.status;
      if (applied && applied.order.status !== from) {
        const { status: to, operation, createdAt, updatedAt } = applied.order;
        metrics.orderMoves.inc({ from, to, operation });
        metrics.orderSeconds.observe({ status: to }, secondsBetween(createdAt, updatedAt));
      }
      return applied;
    },
    storeSigned: async (intent, signed) => {
      const stored = await writes.storeSigned(intent, signed);
      const { rail, createdAt, updatedAt } = stored;
      metrics.payoutSigningSeconds.observe({ rail }, secondsBetween(createdAt, updatedAt));
      return stored;
    },
  };
}

const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, (to.getTime() - from.getTime()) / 1_000);

/** Which rails were called, and which of them fail. */
export interface RailStates {
  succeeded(rail: string, call: string): void;
  failed(rail: string, call: string): void;
  /** Returns the rails of which a call fails now, with the call that fails for the longest. */
  failing(): ReadonlyMap<string, FailingCall>;
  /** Returns every rail that was called. */
  called(): readonly string[];
}

/** Calls are repeated within this time, so an older failure says nothing about now. */
const FAILURE_COUNTS_MS = 120_000;

interface Failure {
  readonly rail: string;
  readonly call: string;
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** Each kind of call has a state of its own: a provider that lists its payments may still refuse to capture one. */
export function makeRailStates(nowMs: () => number = () => performance.now()): RailStates {
  const rails = new Set<string>();
  const failures = new Map<string, Failure>();
  const keyOf = (rail: string, call: string): string => `${rail} ${call}`;
  const isRecent = ({ lastMs }: Failure): boolean => nowMs() - lastMs < FAILURE_COUNTS_MS;
  return {
    succeeded: (rail, call) => {
      rails.add(rail);
      failures.delete(keyOf(rail, call));
    },
    failed: (rail, call) => {
      rails.add(rail);
      const earlier = failures.get(keyOf(rail, call));
      const sinceMs = earlier && isRecent(earlier) ? earlier.sinceMs : nowMs();
      failures.set(keyOf(rail, call), { rail, call, sinceMs, lastMs: nowMs() });
    },
    failing: () => {
      const longest = new Map<string, FailingCall>();
      for (const failure of failures.values()) {
        const { rail, call, sinceMs, lastMs } = failure;
        const lastingMs = lastMs - sinceMs;
        if (isRecent(failure) && lastingMs >= (longest.get(rail)?.lastingMs ?? 0)) {
          longest.set(rail, { call, lastingMs });
        }
      }
      return longest;
    },
    called: () => [...rails],
  };
}

export interface RailMeter {
  readonly name: "card" | "bank" | "chain";
  readonly metrics: Metrics;
  readonly states: RailStates;
}

/**
 * Returns the same rail with every call timed. The calls themselves are not changed. An error means that the rail gave
 * no answer: a refusal is an answer.
 */
export function meterRail<Rail extends object>(
  rail: Rail | undefined,
  { name, metrics, states }: RailMeter,
): Rail | undefined {
  if (rail === undefined) return undefined;
  const count = async (call: string, rail: string, answer: Promise<unknown>): Promise<unknown> => {
    const end = metrics.railSeconds.startTimer({ rail, call });
    try {
      const answered = await answer;
      states.succeeded(rail, call);
      return answered;
    } catch (error) {
      if (isAnswer(error)) states.succeeded(rail, call);
      else {
        states.failed(rail, call);
        metrics.railErrors.inc({ rail, call });
      }
      throw error;
    } finally {
      end();
    }
  };
  return withCalls(rail, (call, values, run) => {
    const answer = run();
    return answer instanceof Promise ? count(call, railOf(name, values), answer) : answer;
  });
}

/** Returns whether the rail works, and said no: the payout waits, the fees are too high, or the signer refused. */
const isAnswer = (error: unknown): boolean =>
  [PayoutWaits, FeeTooHigh, SigningRefused].some((kind) => error instanceof kind);

export type MeteredRails = Pick<Deps, "cardProcessor" | "bank" | "chain">;

/** Meters each rail that is configured. */
export const meterRails = (
  { cardProcessor, bank, chain }: MeteredRails,
  meter: Omit<RailMeter, "name">,
): MeteredRails => ({
  cardProcessor: meterRail(cardProcessor, { ...meter, name: "card" }),
  bank: meterRail(bank, { ...meter, name: "bank" }),
  chain: meterRail(chain, { ...meter, name: "chain" }),
});

/** A call about one network names it, as in `chain:bitcoin`. Stops name rails the same way. */
function railOf(name: string, [first]: readonly unknown[]): string {
  const { networkCode } = (first ?? {}) as { readonly networkCode?: unknown };
  return typeof networkCode === "string" ? `${name}:${networkCode}` : name;
}

interface ProcessParts {
  readonly deps: Pick<Deps, "database" | "rates" | "clock" | "catalogue" | "clockAheadMs">;
  readonly rails: RailStates;
  /** Undefined in a process that runs no worker. */
  readonly loops: LoopWatch | undefined;
}

/** Sets the gauges that are read from memory when somebody scrapes. */
export function setGaugesOfProcess(
  { metrics, beforeScrape }: Pick<MetricsRegistry, "metrics" | "beforeScrape">,
  { deps, rails, loops }: ProcessParts,
): void {
  beforeScrape(() => {
    metrics.databaseUp.set(deps.database.away() === undefined ? 1 : 0);
    metrics.clockSkew.set(Math.abs(deps.clockAheadMs?.() ?? 0) / 1_000);
    for (const [state, count] of Object.entries(deps.database.connections())) {
      metrics.databaseConnections.set({ state }, count);
    }
    for (const [loop, state] of Object.entries(loops?.states() ?? {})) {
      metrics.loopStuck.set({ loop }, state === "stuck" ? 1 : 0);
    }
    const failing = rails.failing();
    for (const rail of rails.called()) metrics.railUp.set({ rail }, failing.has(rail) ? 0 : 1);
    setPrices(metrics, deps);
  });
}

function setPrices(
  metrics: Metrics,
  { rates, clock, catalogue }: Pick<Deps, "rates" | "clock" | "catalogue">,
): void {
  const now = clock.now();
  const table = rates?.prices(now);
  metrics.priceAge.reset();
  for (const currency of new Set(catalogue().currencies.map(({ code }) => code))) {
    const evidence = table?.evidence(currency);
    if (evidence) metrics.priceAge.set({ currency }, secondsBetween(evidence.at, now));
  }
  for (const { source, state } of rates?.health() ?? []) {
    metrics.priceSourceUp.set({ source }, state === "sound" ? 1 : 0);
  }
  metrics.pricesUp.set(hasPrices({ rates, clock }) ? 1 : 0);
}

/** Whether any source of prices is sound, so that quotes can be made. */
export function hasPrices({ rates, clock }: Pick<Deps, "rates" | "clock">): boolean {
  const isSound = rates?.health().some(({ state }) => state === "sound") ?? false;
  return isSound && rates?.prices(clock.now()) !== undefined;
}
