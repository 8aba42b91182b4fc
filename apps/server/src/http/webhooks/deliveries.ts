import {
  ENDPOINTS,
  PAGE_LIMIT_DEFAULT,
  type ReplayRangeRequest,
  type WebhookDeliveriesQuery,
} from "@exchange/contract";
import type { Static } from "@sinclair/typebox";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Deps } from "../../flows/deps.ts";
import {
  type DeliveryFilter,
  type DeliveryPosition,
  listWebhookDeliveries,
  readWebhookDelivery,
} from "../../flows/webhooks/read-deliveries.ts";
import { replayWebhook, replayWebhooks } from "../../flows/webhooks/replay.ts";
import type { MerchantCaller } from "../auth/caller.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Register } from "../registrar.ts";
import { list, ok } from "../wire.ts";
import { presentDelivery, presentDeliveryDetail } from "./present.ts";

const CURSOR = "webhook_deliveries";

/** Registers the reads and replays of a merchant's webhook deliveries. */
export function registerWebhookDeliveries(register: Register, deps: Deps): void {
  register(ENDPOINTS.listWebhookDeliveries, ({ caller, query }) =>
    answerDeliveries(deps, caller.merchant.id, query),
  );
  register(ENDPOINTS.readWebhookDelivery, async ({ caller, params }) =>
    ok(presentDeliveryDetail(await readWebhookDelivery(deps, keyOf(caller, params)))),
  );
  register(ENDPOINTS.replayWebhookDelivery, async ({ caller, params, deps: joined }) =>
    ok(presentDelivery(await replayWebhook(joined, keyOf(caller, params)))),
  );
  register(ENDPOINTS.replayWebhookDeliveries, async ({ caller, body, deps: joined }) => {
    return answerReplay(joined, body, { merchantId: caller.merchant.id });
  });
}

/** Answers with a page of a merchant's deliveries, to its server or to its people. */
export async function answerDeliveries(
  deps: Pick<Deps, "database">,
  merchantId: string,
  query: WebhookDeliveriesQuery,
) {
  const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
  const { items, last } = await listWebhookDeliveries(deps, toFilter(merchantId, query), limit);
  const next = last && encodeCursor(CURSOR, [last.createdAtMicros, last.number]);
  return list(items.map(presentDelivery), next);
}

/** Sends the deliveries of a time again, or counts them, for a merchant's server or one of its people. */
export async function answerReplay(
  deps: Pick<Deps, "database">,
  { dryRun = false, include = "undelivered", ...range }: Static<typeof ReplayRangeRequest>,
  { merchantId, operator }: { readonly merchantId: string; readonly operator?: Operator },
) {
  const { endpointId, createdFrom, createdTo, eventType } = range;
  const result = await replayWebhooks(
    deps,
    { merchantId, endpointId, createdFrom, createdTo, eventType, include },
    dryRun ? "count" : "send",
    operator,
  );
  return ok({ dryRun, ...result });
}

const keyOf = ({ merchant }: MerchantCaller, params: { readonly deliveryId: string }) => ({
  merchantId: merchant.id,
  id: params.deliveryId,
});

const toFilter = (merchantId: string, query: WebhookDeliveriesQuery): DeliveryFilter => ({
  merchantId,
  endpointId: query.endpointId,
  eventType: query.eventType,
  status: query.status,
  orderId: query.orderId === undefined ? undefined : BigInt(query.orderId),
  createdFrom: query.createdFrom,
  createdTo: query.createdTo,
  after: query.cursor === undefined ? undefined : toPosition(query.cursor),
});

function toPosition(cursor: string): DeliveryPosition {
  const [createdAtMicros, number = 0n] = decodeCursor(CURSOR, cursor);
  return { createdAtMicros, number };
}
