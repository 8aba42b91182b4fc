import {
  type FeedEvent,
  hasUnplacedEvents,
  listFeedEvents,
  placeEvents,
} from "../../storage/webhooks/event-feed.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

export type { FeedEvent } from "../../storage/webhooks/event-feed.ts";

/** Events placed by one reading; more than a page, so that one is filled. */
const PLACED_AT_ONCE = 1_000;

/** A merchant's events after a position: each comes once, and none comes in later in between. */
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
