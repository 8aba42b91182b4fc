import { ENDPOINTS, PAGE_LIMIT_DEFAULT, type WebhookDeliveriesQuery } from "@exchange/contract";
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
  register(ENDPOINTS.listWebhookDeliveries, async ({ caller, query }) => {
    const filter = toFilter(caller.merchant.id, query);
    const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
    const { items, last } = await listWebhookDeliveries(deps, filter, limit);
    const next = last && encodeCursor(CURSOR, [last.createdAtMicros, last.number]);
    return list(items.map(presentDelivery), next);
  });
  register(ENDPOINTS.readWebhookDelivery, async ({ caller, params }) =>
    ok(presentDeliveryDetail(await readWebhookDelivery(deps, keyOf(caller, params)))),
  );
  register(ENDPOINTS.replayWebhookDelivery, async ({ caller, params, deps: joined }) =>
    ok(presentDelivery(await replayWebhook(joined, keyOf(caller, params)))),
  );
  register(ENDPOINTS.replayWebhookDeliveries, async ({ caller, body, deps: joined }) => {
    const { endpointId, createdFrom, createdTo, eventType } = body;
    const dryRun = body.dryRun ?? false;
    const range = {
      merchantId: caller.merchant.id,
      endpointId,
      createdFrom,
      createdTo,
      eventType,
      include: body.include ?? "undelivered",
    };
    const result = await replayWebhooks(joined, range, dryRun ? "count" : "send");
    return ok({ dryRun, ...result });
  });
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
