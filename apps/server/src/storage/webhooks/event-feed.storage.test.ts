import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorld, type World } from "../../testing/webhooks/world.ts";
import { statement } from "../postgres/database.ts";
import { clearOldEvents } from "../retention.ts";
import { listFeedEvents, placeEvents, readLastPosition } from "./event-feed.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const WAITS = statement(
  "test_waits",
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);

test("events that the clearing deletes while they get their positions leave the feed usable", async () => {
  const { database, merchantId } = world;
  const place = () => database.transaction((tx) => placeEvents(tx, merchantId, 1_000));
  await world.addEvent(1);
  await world.advance(91 * 86_400);
  await world.addEvent(2);
  let placing: Promise<void> = Promise.resolve();
  await database.transaction(async (tx) => {
    expect(await clearOldEvents(tx, 10)).toBe(1);
    placing = place();
    await expect.poll(async () => (await database.query(WAITS)).length).toBe(1);
  });
  await placing;
  await world.addEvent(3);
  await place();
  const events = await listFeedEvents(database, { merchantId, after: 0 }, 10);
  const positions = events.map(({ position }) => position);
  expect(events).toHaveLength(2);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(await readLastPosition(database, merchantId)).toBe(positions.at(-1));
});
