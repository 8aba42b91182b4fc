import type { Logger } from "pino";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import type { AttemptResult } from "./attempt.ts";

/** A failed attempt and its effect on the endpoint. */
export interface FailureReport {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  /** The wait before the next attempt in milliseconds; undefined if none follows. */
  readonly delayMs: number | undefined;
  /** The reason why this attempt disabled the endpoint; undefined if it did not. */
  readonly disabled: "gone" | "failing" | undefined;
  readonly isPaused: boolean;
  readonly isFailingForADay: boolean;
}

/** Logs a failure for the operator, at the level it deserves. */
export function reportFailure(log: Logger, report: FailureReport): void {
  const { delivery, result, delayMs, disabled } = report;
  const facts = {
    ...subject(delivery),
    attempt: delivery.attempt,
    errorClass: result.errorClass,
    status: result.status,
  };
  if (disabled !== undefined)
    log.error({ ...facts, reason: disabled }, "webhook endpoint disabled");
  else if (delivery.isTest) log.info(facts, "webhook test failed");
  else if (delayMs === undefined) log.error(facts, "webhook delivery exhausted");
  else if (result.errorClass === "secret") log.error(facts, "webhook secret cannot be decrypted");
  else log.info({ ...facts, delayMs }, "webhook attempt failed");
  if (report.isFailingForADay) log.warn(subject(delivery), "webhook endpoint failing for a day");
  if (report.isPaused) log.warn(subject(delivery), "webhook endpoint paused");
}

export const reportLostLease = (log: Logger, delivery: ClaimedDelivery): void =>
  log.warn(subject(delivery), "webhook lease lost before the attempt was recorded");

const subject = ({ merchantId, endpointId, id }: ClaimedDelivery) => ({
  merchantId,
  endpointId,
  deliveryId: id,
});
