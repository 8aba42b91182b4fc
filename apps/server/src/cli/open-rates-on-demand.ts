import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { RateSource } from "../domain/ports/rate-source.ts";
import { openRates } from "../start/rails/open-rates.ts";

/**
 * A source of prices that is opened when it is first read. Most commands need no price, and must not ask the
 * venues for any.
 */
export function openRatesOnDemand(config: Config, progress: (line: string) => void): RateSource {
  let opened: { readonly source: RateSource | undefined } | undefined;
  const source = (): RateSource | undefined => {
    opened ??= { source: openRates(config, { warn: progress }) };
    return opened.source;
  };
  return {
    get name() {
      return source()?.name ?? "none";
    },
    prices: (now) => source()?.prices(now),
    health: () => source()?.health() ?? [],
    reason: (code) => source()?.reason(code),
    stop: async () => {
      await opened?.source?.stop();
    },
  };
}

/** A venue that is asked for one market at a time needs several seconds for a round. */
const WAIT_MS = 12_000;
const LOOK_MS = 100;

/**
 * Waits until every currency has a price and no source is stale, and at most as long as a round of the venues
 * takes.
 */
export async function waitForPrices(
  rates: RateSource | undefined,
  codes: readonly string[],
): Promise<void> {
  const endMs = Date.now() + WAIT_MS;
  const health = () => rates?.health() ?? [];
  const isComplete = (): boolean => {
    const table = rates?.prices(new Date());
    const isPriced = codes.every((code) => table?.price(code) !== undefined);
    return isPriced && health().every(({ state }) => state !== "stale");
  };
  while (health().length > 0 && !isComplete() && Date.now() < endMs) await sleep(LOOK_MS);
}
