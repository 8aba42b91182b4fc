import type { Queryable } from "../../storage/postgres/database.ts";
import {
  type DeliveryFilter,
  type DeliveryPosition,
  type DeliveryView,
  listDeliveryViews,
} from "../../storage/webhooks/delivery-views.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";
import { Refusal } from "../refusal.ts";

export type {
  AttemptView,
  DeliveryFilter,
  DeliveryPosition,
  DeliveryView,
} from "../../storage/webhooks/delivery-views.ts";

export interface DeliveryKey {
  readonly merchantId: string;
  readonly id: string;
}

/** Lists a merchant's deliveries, newest first. `last` is the position to read after. */
export async function listWebhookDeliveries(
  deps: Pick<Deps, "database">,
  filter: DeliveryFilter,
  limit: number,
): Promise<Page<DeliveryView, DeliveryPosition>> {
  const found = await listDeliveryViews(deps.database, filter, limit + 1);
  const { items, last } = pageOf(found, limit);
  return { items, last: last?.position };
}

/** Reads one delivery. Refuses NOT_FOUND, also for one of another merchant and a deleted one. */
export async function requireDelivery(
  queryable: Queryable,
  key: DeliveryKey,
): Promise<DeliveryView> {
  const [view] = await listDeliveryViews(queryable, key, 1);
  if (!view) throw noSuchDelivery();
  return view;
}

export const readWebhookDelivery = (
  deps: Pick<Deps, "database">,
  key: DeliveryKey,
): Promise<DeliveryView> => requireDelivery(deps.database, key);

const noSuchDelivery = (): Refusal =>
  new Refusal("NOT_FOUND", { message: "The merchant has no such webhook delivery." });
