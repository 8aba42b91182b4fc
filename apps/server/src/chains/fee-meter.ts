import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { FeeMarket } from "../domain/ports/network-fees.ts";
import { beginMeasurement, noteRateProblem, recordRate } from "../storage/chains/fee-rates.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface FeeMeterParts {
  readonly database: Database;
  readonly log: Pick<Logger, "warn">;
  readonly networkCode: string;
  readonly market: FeeMarket;
  /** The pause between two measurements. */
  readonly everyMs: number;
}

export interface FeeMeter {
  /** Settles when the first measurement was made, or failed. */
  readonly first: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Measures a network's fee market in the background. Of all processes that share the database, one measures in each
 * period. A process that dies while it measures is followed by another in the next period.
 */
export function startFeeMeter(parts: FeeMeterParts): FeeMeter {
  const { market, everyMs } = parts;
  const stopped = new AbortController();
  const first = measureOnce(parts);
  const loop = async (): Promise<void> => {
    await first;
    while (!stopped.signal.aborted) {
      // Aborting ends the pause early, with an error that says nothing more.
      await sleep(everyMs, undefined, { signal: stopped.signal }).catch(() => {});
      if (!stopped.signal.aborted) await measureOnce(parts);
    }
    await market.close();
  };
  const finished = loop();
  return {
    first,
    stop: () => {
      stopped.abort();
      return finished;
    },
  };
}

/** A period is claimed a little early, because the pause of the process that had the last one is as long. */
const CLAIM_PART = 0.9;

/** Makes one measurement, unless another process makes it. A failure is recorded, and the old rate stays. */
async function measureOnce(parts: FeeMeterParts): Promise<void> {
  const { database, log, networkCode, market, everyMs } = parts;
  try {
    if (!(await beginMeasurement(database, networkCode, everyMs * CLAIM_PART))) return;
    await recordRate(database, networkCode, await market.readRates());
  } catch (error) {
    log.warn({ err: error, network: networkCode }, "a network's fees could not be measured");
    const { message } = error as Error;
    await noteRateProblem(database, networkCode, message).catch((failure: unknown) => {
      log.warn({ err: failure, network: networkCode }, "a failed measurement was not recorded");
    });
  }
}
