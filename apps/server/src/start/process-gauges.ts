import type { Deps } from "../flows/deps.ts";
import type { Metrics, MetricsRegistry } from "../metrics/metrics.ts";
import { secondsBetween } from "./metering.ts";
import type { RailStates } from "./rail-states.ts";
import type { LoopWatch } from "./watch-loops.ts";

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
