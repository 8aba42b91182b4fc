import type { Logger } from "pino";
import type { FeeMarket } from "../domain/ports/network-fees.ts";
import { repeat } from "../flows/repeat.ts";
import { beginMeasurement, noteRateProblem, recordRate } from "../storage/chains/fee-rates.ts";
import type { Database } from "../storage/postgres/database.ts";

export interface FeeMeterParts {
  readonly database: Database;
  readonly log: Pick<Logger, "warn">;
  readonly networkCode: string;
  readonly market: FeeMarket;
  /** The time from one measurement to the next. */
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
  const { log, networkCode, market, everyMs } = parts;
  let endFirst = (): void => {};
  const first = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const stop = repeat({
    everyMs,
    atOnce: true,
    round: () => measureOnce(parts).finally(endFirst),
    failed: (error) => {
      log.warn({ err: error, network: networkCode }, "a failed measurement was not recorded");
    },
  });
  return { first, stop: () => stop().then(() => market.close()) };
}

/** A period is claimed a little early, because the interval of the process that had the last one is as long. */
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
    await noteRateProblem(database, networkCode, message);
  }
}
