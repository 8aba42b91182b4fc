import type { WebhookEventType } from "@exchange/contract";
import {
  type FeedEvent,
  hasUnplacedEvents,
  listFeedEvents,
  listFeedEventsOfType,
  placeEvents,
  readLastPosition,
} from "../../storage/webhooks/event-feed.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

export type { FeedEvent } from "../../storage/webhooks/event-feed.ts";

/** The number of events placed by one read. It is more than a page, so that a page can be full. */
const PLACED_AT_ONCE = 1_000;

/** The number of events placed at once before the end of the feed is known. */
const PLACED_BEFORE_END = 10_000;

/** The number of events that one page searches for those of a type, so that its cost is bounded. */
const SEARCHED_AT_ONCE = 10_000;

interface FeedPlace {
  readonly merchantId: string;
  readonly after: number;
  /** Absent, events of every type are read. */
  readonly eventType?: WebhookEventType | undefined;
}

/**
 * Reads a merchant's events after a position. Each event occurs once, and none is inserted before
 * it later.
 */
export async function readEvents(
  deps: Pick<Deps, "database">,
  from: FeedPlace,
  limit: number,
): Promise<Page<FeedEvent, number>> {
  const { database } = deps;
  let page = await readPage(database, from, limit);
  if (page.last === undefined && (await hasUnplacedEvents(database, from.merchantId))) {
    await database.transaction((tx) => placeEvents(tx, from.merchantId, PLACED_AT_ONCE));
    page = await readPage(database, from, limit);
  }
  return page;
}

async function readPage(
  database: Deps["database"],
  { merchantId, after, eventType }: FeedPlace,
  limit: number,
): Promise<Page<FeedEvent, number>> {
  if (eventType === undefined) {
    const found = await listFeedEvents(database, { merchantId, after }, limit + 1);
    const { items, last } = pageOf(found, limit);
    return { items, last: last?.position };
  }
  const until = after + SEARCHED_AT_ONCE;
  const span = { merchantId, after, until, eventType };
  const { items, last } = pageOf(await listFeedEventsOfType(database, span, limit + 1), limit);
  if (last) return { items, last: last.position };
  const isSearched = (await readLastPosition(database, merchantId)) <= until;
  return { items, last: isSearched ? undefined : until };
}

/**
 * Returns the position that new events follow. Committed events are placed before it first, so that
 * none of the past comes after it.
 */
export async function readEndOfEvents(
  { database }: Pick<Deps, "database">,
  merchantId: string,
): Promise<number> {
  while (await hasUnplacedEvents(database, merchantId)) {
    await database.transaction((tx) => placeEvents(tx, merchantId, PLACED_BEFORE_END));
  }
  return readLastPosition(database, merchantId);
}
