import {
  ENDPOINTS,
  type EventItem,
  type Outgoing,
  PAGE_LIMIT_DEFAULT,
  StoredPayload,
} from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import { type FeedEvent, readEndOfEvents, readEvents } from "../../flows/webhooks/read-events.ts";
import type { Register } from "../registrar.ts";
import { list, toUnixSeconds } from "../wire.ts";

export function registerEvents(register: Register, deps: Deps): void {
  register(ENDPOINTS.listEvents, async ({ caller, query }) => {
    const { after = 0, eventType, limit = PAGE_LIMIT_DEFAULT } = query;
    const merchantId = caller.merchant.id;
    if (after === "now") return list([], String(await readEndOfEvents(deps, merchantId)));
    const { items, last } = await readEvents(deps, { merchantId, after, eventType }, limit);
    return list(items.map(presentEvent), last?.toString());
  });
}

const presentEvent = (event: FeedEvent): Outgoing<EventItem> => ({
  id: event.id,
  sequence: event.position,
  eventType: event.eventType,
  createdAt: toUnixSeconds(event.createdAt),
  payload: new StoredPayload(event.payload),
});
