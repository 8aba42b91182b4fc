import { setTimeout as sleep } from "node:timers/promises";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { heldBack } from "../sandbox/faults/planted-faults.ts";
import { takeWebhookFault, type WebhookFault } from "../sandbox/faults/store.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { postponeDelivery } from "../storage/webhooks/deliveries.ts";
import { attemptDelivery } from "./attempt.ts";
import { makeOpener } from "./endpoint-secrets.ts";
import type { Answer } from "./lanes.ts";
import { BODY_WINDOW_MS, type Poster, TOTAL_TIMEOUT_MS } from "./poster.ts";
import { makeRecorder } from "./recorder.ts";

export type DispatcherDeps = Pick<Deps, "database" | "secrets" | "ids" | "log" | "webhookTargets">;

const RECORD_RETRY_MS = 200;

export interface DeliverSettings {
  readonly poster: Poster;
  readonly leaseMs: number;
  readonly signal: AbortSignal;
  readonly realNow?: () => Date;
}

/**
 * Posts a claimed delivery and records the attempt; answers with the wait before the next one.
 * `onAnswer` is told once, when nothing is under way any more.
 */
export function makeDeliver(deps: DispatcherDeps, settings: DeliverSettings) {
  const record = makeRecorder(deps);
  const attemptDeps = {
    keysOf: makeOpener(deps.secrets),
    poster: settings.poster,
    realNow: settings.realNow ?? (() => new Date()),
  };
  return async (
    delivery: ClaimedDelivery,
    claimedAt: number,
    onAnswer: (answer: Answer) => void,
  ): Promise<number | undefined> => {
    const leaseEndsAt = claimedAt + settings.leaseMs;
    const planted = delivery.endpoint.hasFault ? await takeFault(deps, delivery) : undefined;
    // A process that was frozen since its claim must not post what another may hold by now.
    const isLate = performance.now() + TOTAL_TIMEOUT_MS + BODY_WINDOW_MS > leaseEndsAt;
    const hold = heldBack(planted);
    if (isLate || hold !== undefined) onAnswer({ durationMs: 0, isFailure: isLate });
    if (isLate) return undefined;
    if (hold !== undefined) {
      await postponeDelivery(deps.database, delivery, hold);
      return hold.delaySeconds * 1_000;
    }
    const { signal } = settings;
    const result = await attemptDelivery(attemptDeps, delivery, { signal, planted });
    onAnswer({ durationMs: result.durationMs, isFailure: result.fault !== undefined });
    for (;;) {
      try {
        const delayMs = await record(delivery, result);
        failpoint("webhook.after_record");
        return delayMs;
      } catch (error) {
        // While the lease lasts, a database that is away for a moment need not cost a second post.
        const isLastTry = signal.aborted || performance.now() + RECORD_RETRY_MS > leaseEndsAt;
        if (isLastTry) throw error;
        await sleep(RECORD_RETRY_MS);
      }
    }
  };
}

/** Without its fault a webhook is only right, so a database that is away costs nothing here. */
async function takeFault(
  deps: DispatcherDeps,
  delivery: ClaimedDelivery,
): Promise<WebhookFault | undefined> {
  try {
    return await takeWebhookFault(deps.database, delivery);
  } catch (error) {
    deps.log.warn({ err: error }, "a planted webhook fault could not be read");
    return undefined;
  }
}
