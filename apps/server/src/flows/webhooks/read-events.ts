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
import { Refusal } from "../refusal.ts";

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
 * it later. Refuses INVALID_INPUT for a position after the newest event.
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
  if (page.items.length === 0) await requireReached(database, from);
  return page;
}

/**
 * A position that no event has reached comes from another merchant or environment, or from before a restore of the
 * database. An empty page would hide every event up to it.
 */
async function requireReached(
  database: Deps["database"],
  { merchantId, after }: FeedPlace,
): Promise<void> {
  const last = await readLastPosition(database, merchantId);
  if (after <= last) return;
  throw new Refusal("INVALID_INPUT", {
    message: `The request is not valid: query.after is ${after}, and your newest event has the sequence ${last}. Send a sequence that an event had here, or leave after out to begin again, and skip the events whose id you have.`,
    details: [{ field: "after", issue: `must be at most ${last}` }],
  });
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
