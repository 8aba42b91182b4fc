import {
  type FeedEvent,
  hasUnplacedEvents,
  listFeedEvents,
  placeEvents,
} from "../../storage/webhooks/event-feed.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

export type { FeedEvent } from "../../storage/webhooks/event-feed.ts";

/** The number of events placed by one read. It is more than a page, so that a page can be full. */
const PLACED_AT_ONCE = 1_000;

/**
 * Reads a merchant's events after a position. Each event occurs once, and none is inserted before
 * it later.
 */
export async function readEvents(
  deps: Pick<Deps, "database">,
  from: { readonly merchantId: string; readonly after: number },
  limit: number,
): Promise<Page<FeedEvent, number>> {
  const { database } = deps;
  let found = await listFeedEvents(database, from, limit + 1);
  if (found.length <= limit && (await hasUnplacedEvents(database, from.merchantId))) {
    await database.transaction((tx) => placeEvents(tx, from.merchantId, PLACED_AT_ONCE));
    found = await listFeedEvents(database, from, limit + 1);
  }
  const { items, last } = pageOf(found, limit);
  return { items, last: last?.position };
}
