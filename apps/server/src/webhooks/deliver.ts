import { setTimeout as sleep } from "node:timers/promises";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { postponeDelivery } from "../storage/webhooks/deliveries.ts";
import { type AttemptResult, attemptDelivery } from "./attempt.ts";
import type { DeliveryFault, DeliveryFaults } from "./delivery-faults.ts";
import { openSigningKeys } from "./endpoint-secrets.ts";
import type { Answer } from "./lanes.ts";
import type { Lease } from "./lease.ts";
import { BODY_WINDOW_MS, type Poster, TOTAL_TIMEOUT_MS } from "./poster.ts";
import { makeRecorder } from "./recorder.ts";

export interface DispatcherDeps
  extends Pick<
    Deps,
    "database" | "secrets" | "ids" | "log" | "webhookTargets" | "beat" | "metrics" | "tracing"
  > {
  /** Only a sandbox plants faults. */
  readonly deliveryFaults?: DeliveryFaults | undefined;
}

const RECORD_RETRY_MS = 200;

export interface DeliverSettings {
  readonly poster: Poster;
  readonly signal: AbortSignal;
  readonly realNow?: () => Date;
}

/**
 * Returns whether a lease may end within an attempt. Then another dispatcher may hold the delivery, so it must not be posted.
 * A lease is late when its claim took more than four seconds, or when the process was frozen since.
 */
export const isLate = (lease: Lease): boolean => lease.leftMs() < TOTAL_TIMEOUT_MS + BODY_WINDOW_MS;

/**
 * Posts a claimed delivery and records the attempt. Returns the wait before the next attempt, in
 * milliseconds. Calls `onAnswer` once, when the request is over.
 */
export function makeDeliver(deps: DispatcherDeps, settings: DeliverSettings) {
  const record = makeRecorder(deps);
  const attemptDeps = {
    keysOf: (delivery: ClaimedDelivery) => openSigningKeys(deps.secrets, delivery),
    poster: settings.poster,
    realNow: settings.realNow ?? (() => new Date()),
  };
  return async (
    delivery: ClaimedDelivery,
    lease: Lease,
    onAnswer: (answer: Answer) => void,
  ): Promise<number | undefined> => {
    const planted = await takeFault(deps, delivery);
    const isTooLate = isLate(lease);
    const { postpone } = planted ?? {};
    if (isTooLate || postpone) onAnswer({ durationMs: 0, isFailure: isTooLate });
    if (isTooLate) return undefined;
    if (postpone) {
      await postponeDelivery(deps.database, delivery, postpone);
      return postpone.delaySeconds * 1_000;
    }
    const { signal } = settings;
    const attempt = () => attemptDelivery(attemptDeps, delivery, { signal, planted, lease });
    const result = await traced(deps, delivery, attempt);
    onAnswer({ durationMs: result.durationMs, isFailure: result.errorClass !== undefined });
    deps.metrics.webhookAttempts.inc({ outcome: result.errorClass ?? "ok" });
    deps.metrics.webhookSeconds.observe(result.durationMs / 1_000);
    for (;;) {
      try {
        const delayMs = await record(delivery, result);
        failpoint("webhook.after_record");
        return delayMs;
      } catch (error) {
        // Within the lease the attempt is recorded again: a short outage must not cost a second post.
        const isLastTry = signal.aborted || lease.leftMs() < RECORD_RETRY_MS;
        if (isLastTry) throw error;
        await sleep(RECORD_RETRY_MS);
      }
    }
  };
}

/** Runs the attempt as a span of its order's trace, if the process is traced. */
async function traced(
  { tracing }: DispatcherDeps,
  { id, eventType, merchantId, orderId, endpointId, attempt: number }: ClaimedDelivery,
  attempt: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (tracing === undefined) return attempt();
  const attributes = {
    "exchange.order.id": String(orderId),
    "exchange.merchant.id": merchantId,
    "exchange.webhook.id": id,
    "exchange.webhook.endpoint": endpointId,
    "exchange.webhook.event": eventType,
    "exchange.webhook.attempt": number,
  };
  return tracing.runForOrder(
    orderId,
    { name: `webhook ${eventType}`, attributes },
    async (note) => {
      const result = await attempt();
      note({
        "http.response.status_code": result.status ?? undefined,
        "error.type": result.errorClass,
      });
      return result;
    },
  );
}

/** Without its fault a webhook is correct, so a failed look-up only costs the fault. */
async function takeFault(
  deps: DispatcherDeps,
  delivery: ClaimedDelivery,
): Promise<DeliveryFault | undefined> {
  try {
    return await deps.deliveryFaults?.take(delivery);
  } catch (error) {
    deps.log.warn(
      { err: error },
      "planted webhook fault unavailable, sending the webhook without it",
    );
    return undefined;
  }
}
