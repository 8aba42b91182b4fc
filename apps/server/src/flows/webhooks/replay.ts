import { WEBHOOK_LIMITS } from "@exchange/contract";
import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import {
  countReplayRange,
  type ReplayRange,
  replayDelivery,
  replayRange,
} from "../../storage/webhooks/replays.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";
import { type DeliveryKey, type DeliveryView, requireDelivery } from "./read-deliveries.ts";
import { requireWebhookEndpoint } from "./require-endpoint.ts";

export type { ReplayRange } from "../../storage/webhooks/replays.ts";

/**
 * Sends one delivery again with the same id and body, and restarts its schedule. Refuses NOT_FOUND,
 * and INVALID_INPUT when its endpoint was removed.
 */
export async function replayWebhook(
  deps: Pick<Deps, "database">,
  key: DeliveryKey,
  /** The person in the console. Absent when the merchant's server sends it again. */
  operator?: Operator,
): Promise<DeliveryView> {
  const isReplayed = await deps.database.transaction(async (tx) => {
    const isDue = await replayDelivery(tx, key);
    if (isDue && operator) await logReplay(tx, { operator, subject: key.id, sent: 1 });
    return isDue;
  });
  const view = await requireDelivery(deps.database, key);
  if (!isReplayed) {
    throw new Refusal("INVALID_INPUT", {
      message: "The endpoint of this delivery was removed, so the delivery cannot be sent again.",
    });
  }
  return view;
}

export interface ReplayedRange {
  readonly matched: number;
  readonly replayed: number;
}

/**
 * Sends an endpoint the events of a time range again, or only counts them. Refuses NOT_FOUND, and
 * INVALID_INPUT for a range with too many events.
 */
export async function replayWebhooks(
  deps: Pick<Deps, "database">,
  range: ReplayRange,
  mode: "count" | "send",
  operator?: Operator,
): Promise<ReplayedRange> {
  await requireWebhookEndpoint(deps.database, range);
  const matched = await countReplayRange(deps.database, range);
  if (mode === "count") return { matched, replayed: 0 };
  if (matched > WEBHOOK_LIMITS.replayMax) throw tooMany(matched);
  const replayed = await deps.database.transaction(async (tx) => {
    const sent = await replayRange(tx, range);
    if (operator) await logReplay(tx, { operator, subject: range.endpointId, sent });
    return sent;
  });
  return { matched: replayed, replayed };
}

const logReplay = (
  tx: Tx,
  replay: { readonly operator: Operator; readonly subject: string; readonly sent: number },
): Promise<void> =>
  logControl(tx, {
    operator: replay.operator,
    action: "replay_webhooks",
    subject: replay.subject,
    details: { deliveries: String(replay.sent) },
    before: null,
    after: null,
  });

const tooMany = (matched: number): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${matched} deliveries match, and one replay sends at most ${WEBHOOK_LIMITS.replayMax}. Choose a shorter range.`,
    details: [{ field: "createdFrom", issue: "begins a range that is too long" }],
  });
