import type { Logger } from "pino";
import type { IdSource } from "../domain/ports/id-source.ts";
import type { Database } from "../storage/database.ts";
import type { ClaimedDelivery } from "../storage/deliveries.ts";
import { releaseDelivery } from "../storage/deliveries.ts";
import { type EndedAttempt, recordDelivered, recordFailed } from "../storage/delivery-attempts.ts";
import { disableEndpoint, noteEndpointFailure } from "../storage/webhook-endpoints.ts";
import type { AttemptResult } from "./attempt.ts";
import type { FaultClass } from "./faults.ts";
import { retryDelayMs } from "./schedule.ts";

export interface RecorderDeps {
  readonly database: Database;
  readonly ids: IdSource;
  readonly log: Logger;
}

/** Writes how an attempt ended. Returns the wait before the next attempt, if there is one. */
export type Recorder = (
  delivery: ClaimedDelivery,
  result: AttemptResult,
) => Promise<number | undefined>;

const GONE = 410;

export function makeRecorder(deps: RecorderDeps): Recorder {
  const recordInBatch = makeBatch(deps.database);
  return async (delivery, result) => {
    const { fault } = result;
    if (fault === "interrupted") {
      await releaseDelivery(deps.database, delivery);
      return 0;
    }
    if (fault !== undefined) return recordFault(deps, delivery, { ...result, fault });
    if (!(await recordInBatch({ delivery, ...result }))) reportLostLease(deps.log, delivery);
    return undefined;
  };
}

/**
 * Collects attempts while a batch is being written and writes them as the next one: a commit each
 * would bound the deliveries a second. Nothing waits on a timer.
 */
function makeBatch(database: Database): (attempt: EndedAttempt) => Promise<boolean> {
  let collecting: EndedAttempt[] = [];
  let next: Promise<ReadonlySet<string>> | undefined;
  let current: Promise<unknown> = Promise.resolve();
  const writeCollected = (): Promise<ReadonlySet<string>> => {
    const attempts = collecting;
    collecting = [];
    next = undefined;
    return recordDelivered(database, attempts);
  };
  return async (attempt) => {
    collecting.push(attempt);
    if (next === undefined) {
      next = current.then(writeCollected);
      current = next.catch(() => {});
    }
    const stillLeased = await next;
    return stillLeased.has(attempt.delivery.id);
  };
}

async function recordFault(
  deps: RecorderDeps,
  delivery: ClaimedDelivery,
  result: AttemptResult & { readonly fault: FaultClass },
): Promise<number | undefined> {
  const delayMs = retryDelayMs({
    number: delivery.attempt,
    retryAfterMs: result.retryAfterMs,
    fraction: randomFraction(deps.ids),
  });
  const attempt = { delivery, ...result, errorClass: result.fault, retryDelayMs: delayMs };
  const ending = await deps.database.transaction(async (tx) => {
    if (!(await recordFailed(tx, attempt))) return "lease_lost";
    // A secret of ours that does not open is not the endpoint's failure.
    if (result.fault === "secret") return "recorded";
    await noteEndpointFailure(tx, delivery);
    const reason = result.status === GONE ? "gone" : "failing";
    return (await disableEndpoint(tx, { ...delivery, reason })) ? reason : "recorded";
  });
  if (ending === "lease_lost") reportLostLease(deps.log, delivery);
  else reportFault(deps.log, { delivery, result, ending, delayMs });
  return ending === "recorded" ? delayMs : undefined;
}

function reportFault(
  log: Logger,
  report: {
    readonly delivery: ClaimedDelivery;
    readonly result: AttemptResult;
    readonly ending: "recorded" | "gone" | "failing";
    readonly delayMs: number | undefined;
  },
): void {
  const { delivery, result, ending, delayMs } = report;
  const facts = {
    ...subject(delivery),
    attempt: delivery.attempt,
    fault: result.fault,
    status: result.status,
  };
  if (ending !== "recorded") log.error({ ...facts, reason: ending }, "webhook endpoint disabled");
  else if (delayMs === undefined) log.error(facts, "webhook delivery exhausted");
  else if (result.fault === "secret") log.error(facts, "webhook secret does not open");
  else log.info({ ...facts, delayMs }, "webhook attempt failed");
}

const reportLostLease = (log: Logger, delivery: ClaimedDelivery): void =>
  log.warn(subject(delivery), "webhook lease lost before its attempt was recorded");

const subject = ({ merchantId, endpointId, id }: ClaimedDelivery) => ({
  merchantId,
  endpointId,
  deliveryId: id,
});

function randomFraction(ids: IdSource): number {
  return Buffer.from(ids.bytes(4)).readUInt32BE(0) / 2 ** 32;
}
