import type { Logger } from "pino";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import type { AttemptResult } from "./attempt.ts";

/** A failed attempt, and what it did to its endpoint. */
export interface FailureReport {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  /** Undefined: no attempt follows. */
  readonly delayMs: number | undefined;
  /** Why the endpoint was disabled by this; undefined when it was not. */
  readonly disabled: "gone" | "failing" | undefined;
  readonly isPaused: boolean;
  readonly isFailingForADay: boolean;
}

/** Tells the operator, each thing with the weight it has. */
export function reportFailure(log: Logger, report: FailureReport): void {
  const { delivery, result, delayMs, disabled } = report;
  const facts = {
    ...subject(delivery),
    attempt: delivery.attempt,
    fault: result.fault,
    status: result.status,
  };
  if (disabled !== undefined)
    log.error({ ...facts, reason: disabled }, "webhook endpoint disabled");
  else if (delivery.isTest) log.info(facts, "webhook test failed");
  else if (delayMs === undefined) log.error(facts, "webhook delivery exhausted");
  else if (result.fault === "secret") log.error(facts, "webhook secret does not open");
  else log.info({ ...facts, delayMs }, "webhook attempt failed");
  if (report.isFailingForADay) log.warn(subject(delivery), "webhook endpoint failing for a day");
  if (report.isPaused) log.warn(subject(delivery), "webhook endpoint paused");
}

export const reportLostLease = (log: Logger, delivery: ClaimedDelivery): void =>
  log.warn(subject(delivery), "webhook lease lost before its attempt was recorded");

const subject = ({ merchantId, endpointId, id }: ClaimedDelivery) => ({
  merchantId,
  endpointId,
  deliveryId: id,
});
