import type { Logger } from "pino";
import type { IdSource } from "../domain/ports/id-source.ts";
import { makeBatcher } from "../storage/postgres/batches.ts";
import type { Database, Tx } from "../storage/postgres/database.ts";
import { type EndedAttempt, recordDelivered, recordFailed } from "../storage/webhooks/attempts.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { hurryDelivery, releaseDelivery } from "../storage/webhooks/deliveries.ts";
import {
  disableEndpoint,
  isMovedFrom,
  noteEndpointFailure,
} from "../storage/webhooks/endpoint-health.ts";
import { recordEndpointLog } from "../storage/webhooks/endpoint-log.ts";
import type { AttemptResult } from "./attempt.ts";
import type { ErrorClass } from "./error-classes.ts";
import { type FailureReport, reportFailure, reportLostLease } from "./reports.ts";
import { retryDelayMs } from "./schedule.ts";

export interface RecorderDeps {
  readonly database: Database;
  readonly ids: IdSource;
  readonly log: Logger;
}

/**
 * Records how an attempt ended. Returns the wait before the next attempt in milliseconds, if there is one.
 */
export type Recorder = (
  delivery: ClaimedDelivery,
  result: AttemptResult,
) => Promise<number | undefined>;

const GONE = 410;
const BATCH_ATTEMPTS_MAX = 256;

export function makeRecorder(deps: RecorderDeps): Recorder {
  const recordInBatch = makeBatcher<EndedAttempt, "recorded" | "lease_lost">({
    run: async (attempts) => {
      const lost = await recordDelivered(deps.database, attempts);
      return attempts.map(({ delivery }) => (lost.has(delivery.id) ? "lease_lost" : "recorded"));
    },
    batchesInFlightMax: 1,
    itemsMax: BATCH_ATTEMPTS_MAX,
  });
  return async (delivery, result) => {
    const { errorClass } = result;
    if (errorClass === undefined) {
      const outcome = await recordInBatch({ delivery, result });
      if (outcome === "lease_lost") reportLostLease(deps.log, delivery);
      return undefined;
    }
    if (errorClass === "interrupted") {
      await releaseDelivery(deps.database, delivery);
      return 0;
    }
    return recordFailure(deps, delivery, { ...result, errorClass });
  };
}

type FailedResult = AttemptResult & { readonly errorClass: ErrorClass };

async function recordFailure(
  deps: RecorderDeps,
  delivery: ClaimedDelivery,
  result: FailedResult,
): Promise<number | undefined> {
  const { errorClass } = result;
  const scheduledMs = nextDelayMs(deps.ids, delivery, result);
  const outcome = await deps.database.transaction(async (tx) => {
    const delayMs = scheduledMs ?? (await delayAtNewUrlMs(tx, delivery));
    const attempt = { delivery, result, errorClass, retryDelayMs: delayMs };
    if (!(await recordFailed(tx, attempt))) return "lease_lost";
    return { delayMs, ...(await judgeEndpoint(tx, delivery, result)) };
  });
  if (outcome === "lease_lost") {
    reportLostLease(deps.log, delivery);
    return undefined;
  }
  reportFailure(deps.log, { delivery, result, ...outcome });
  return outcome.disabled === undefined ? outcome.delayMs : undefined;
}

/** The last attempt at an earlier URL is not the last one: the present URL never had the delivery. */
async function delayAtNewUrlMs(tx: Tx, delivery: ClaimedDelivery): Promise<number | undefined> {
  if (delivery.isTest) return undefined;
  const isMoved = await isMovedFrom(tx, { ...delivery, url: delivery.endpoint.url });
  return isMoved ? 0 : undefined;
}

/** A test webhook is sent once, so no attempt follows. */
function nextDelayMs(
  ids: IdSource,
  delivery: ClaimedDelivery,
  result: FailedResult,
): number | undefined {
  if (delivery.isTest) return undefined;
  return retryDelayMs({
    number: delivery.scheduleNumber,
    retryAfterMs: result.retryAfterMs,
    fraction: randomFraction(ids),
  });
}

type Judgement = Pick<FailureReport, "disabled" | "isPaused" | "isFailingForADay">;

const NOTHING: Judgement = { disabled: undefined, isPaused: false, isFailingForADay: false };

/** Judges the endpoint by a failure. A fault of ours, a planted fault and a test webhook do not count. */
async function judgeEndpoint(
  tx: Tx,
  delivery: ClaimedDelivery,
  result: FailedResult,
): Promise<Judgement> {
  if (result.errorClass === "secret" || result.plantedFault !== null) return NOTHING;
  const isGone = result.status === GONE;
  if (delivery.isTest && !isGone) return NOTHING;
  const failure = await noteEndpointFailure(tx, { ...delivery, url: delivery.endpoint.url });
  if (failure === undefined) {
    // The endpoint has another URL now. The others that wait were refused there, or were made due by the move.
    await hurryDelivery(tx, delivery);
    return NOTHING;
  }
  if (failure.isToAnnounce) {
    await recordEndpointLog(tx, { ...delivery, what: "failing_for_a_day" });
  }
  const reason = isGone ? "gone" : failure.isDead ? "failing" : undefined;
  const isDisabled = reason !== undefined && (await disableEndpoint(tx, { ...delivery, reason }));
  if (isDisabled) await recordEndpointLog(tx, { ...delivery, what: "disabled", detail: reason });
  return {
    disabled: isDisabled ? reason : undefined,
    isPaused: failure.isPaused,
    isFailingForADay: failure.isToAnnounce,
  };
}

function randomFraction(ids: IdSource): number {
  return Buffer.from(ids.bytes(4)).readUInt32BE(0) / 2 ** 32;
}
