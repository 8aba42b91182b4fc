import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeWebhookEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { readRetryAfter } from "../retry-after.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { statement } from "../storage/postgres/database.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";
import { type Behaviour, ZOO } from "../testing/webhooks/zoo.ts";
import type { Poster } from "./poster.ts";
import { RETRY_AFTER_MS_MAX, RETRY_DELAYS_MS } from "./schedule.ts";

/** The time of each event. */
const EVENT_DAYS = [0, 2, 4, 5, 6];
const EVENTS = EVENT_DAYS.length;
const DAY_SECONDS = 86_400;
/** Deliveries due within it are attempted in one step. */
const STEP_SECONDS = 600;
const STORY = statement(
  "test_story",
  `select e.url, e.state as "endpointState", e.disabled_reason as reason, delivery_state(d) as state, d.attempts,
     d.sequence::int, (
       select array_agg(extract(epoch from a.started_at)::float * 1000 order by a.number)
       from delivery_attempts a where a.delivery_id = d.id) as "startedAt"
   from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
   order by d.sequence`,
);
const NEXT = statement(
  "test_next_due",
  `select extract(epoch from min(p.next_attempt_at) - business_now())::float as seconds,
     extract(epoch from business_now())::float as now
   from pending_deliveries p join webhook_endpoints e on e.id = p.endpoint_id
   where e.state = 'active'`,
);
const BUSY = statement(
  "test_busy",
  `select 1 from pending_deliveries p join webhook_endpoints e on e.id = p.endpoint_id
     join deliveries d on d.id = p.delivery_id
   where e.state = 'active' and (is_held(d) or p.next_attempt_at <= business_now()) limit 1`,
);

interface Story {
  readonly url: string;
  readonly endpointState: string;
  readonly reason: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly startedAt: readonly number[] | null;
}

let world: World;
const seen = new Map<string, number>();
let openedAt = 0;
let now = 0;
let isHealed = false;

/** Answers as the receiver that the URL names, in virtual time. */
const poster: Poster = {
  post: async ({ url }) => {
    const [, behaviour] = ZOO[indexOf(url)] ?? [];
    const nth = (seen.get(url) ?? 0) + 1;
    seen.set(url, nth);
    const outcome = isHealed
      ? { status: 200 }
      : (behaviour as Behaviour)({ elapsedMs: now - openedAt, nth, now: new Date(now) });
    if ("errorClass" in outcome) return { kind: "failed", errorClass: outcome.errorClass };
    const { status, retryAfter } = outcome as { status: number; retryAfter?: string };
    return { kind: "answered", status, retryAfter, excerpt: new Uint8Array() };
  },
  close: async () => {},
};
const indexOf = (url: string): number => Number(url.split("/").at(-1));

/** Advances the time to the end, or to the given time, from one due attempt to the next. */
async function passTime(
  dispatcher: { wake(): void },
  secondsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const end = now + secondsMax * 1_000;
  for (;;) {
    dispatcher.wake();
    await until(async () => (await world.database.query(BUSY)).length === 0);
    const [next] = await world.database.query<{ seconds: number | null; now: number }>(NEXT);
    now = (next?.now ?? 0) * 1_000;
    const due = next?.seconds ?? Number.POSITIVE_INFINITY;
    const wait = Math.min(due > STEP_SECONDS ? due + STEP_SECONDS : due, (end - now) / 1_000);
    if (!Number.isFinite(wait) || now >= end) return;
    if (wait <= 0) continue;
    await world.advance(wait);
    now += wait * 1_000;
  }
}

let stories: Story[];
let healed: Story[];

beforeAll(async () => {
  world = await makeWorld();
  for (let at = 0; at < ZOO.length; at++) {
    const merchantId = `client_dev_${String(at).padStart(16, "A")}`;
    await world.addMerchant(merchantId);
    await world.addEndpointOf(merchantId, `http://localhost:9/${at}`);
  }
  const merchants = ZOO.map((_, at) => `client_dev_${String(at).padStart(16, "A")}`);
  const dispatcher = world.dispatch({ poster, realNow: () => new Date(now) }, { ids: randomIds });
  now = openedAt = Date.now();
  for (const day of EVENT_DAYS) {
    await passTime(dispatcher, day * DAY_SECONDS - (now - openedAt) / 1_000);
    for (const merchantId of merchants) await world.addEventOf(merchantId, day + 1);
  }
  await passTime(dispatcher);
  stories = await world.database.query<Story>(STORY);
  isHealed = true;
  for (const { merchant_id: merchantId, id: endpointId } of await world.database.query<{
    merchant_id: string;
    id: string;
  }>(statement("test_all_endpoints", "select merchant_id, id from webhook_endpoints"))) {
    await changeWebhookEndpoint(world.deps, {
      merchantId,
      endpointId,
      by: "merchant",
      enabled: true,
    });
  }
  await passTime(dispatcher);
  healed = await world.database.query<Story>(STORY);
});
afterAll(() => world.close());

const storiesOf = (at: number, all: readonly Story[]) =>
  all.filter(({ url }) => indexOf(url) === at);

/** The waits between attempts are those of the schedule, or those that the receiver asked for. */
function expectScheduled(story: Story, askedMs: number): void {
  const times = story.startedAt ?? [];
  for (const [index, time] of times.slice(1).entries()) {
    const base = RETRY_DELAYS_MS[index] ?? 0;
    const wait = time - (times[index] ?? 0);
    const least = Math.max(base * 0.8, askedMs);
    const most = Math.max(base * 1.2, askedMs);
    // An HTTP date has no fractions of a second.
    expect(wait).toBeGreaterThanOrEqual(least - (askedMs > 0 ? 1_000 : 5));
    // One step, the half minute that a breaker rests, and the real time up to here.
    expect(wait).toBeLessThanOrEqual(most + STEP_SECONDS * 1_000 + 35_000);
  }
}

test("the zoo has at least 30 receivers that differ", () => {
  expect(new Set(ZOO.map(([name]) => name)).size).toBeGreaterThanOrEqual(30);
});

describe("over the whole schedule and a week of events, a receiver that", () => {
  test.each(ZOO.map(([name, , fate], at) => [name, fate, at] as const))(
    "%s: %s",
    (_name, fate, at) => {
      const mine = storiesOf(at, stories);
      expect(mine).toHaveLength(EVENTS);
      const behaviour = ZOO[at]?.[1] as Behaviour;
      const probe = behaviour({ elapsedMs: 0, nth: 1, now: new Date(0) });
      const retryAfterMs = "retryAfter" in probe ? readRetryAfter(probe.retryAfter, 0) : 0;
      for (const story of mine) {
        // Retry-After values that change are bounded by an hour.
        const askedMs = fate === "dies" ? Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX) : 0;
        if (fate !== "recovers") expectScheduled(story, askedMs);
        expect(story.attempts).toBeLessThanOrEqual(10);
      }
      const [last] = mine;
      const states = new Set(mine.map(({ state }) => state));
      switch (fate) {
        case "takes":
          expect(mine.map(({ attempts }) => attempts)).toEqual(Array(EVENTS).fill(1));
          expect([last?.endpointState, ...states]).toEqual(["active", "delivered"]);
          break;
        case "recovers":
          expect([last?.endpointState, ...states]).toEqual(["active", "delivered"]);
          break;
        case "gone":
          expect([last?.endpointState, last?.reason]).toEqual(["disabled", "gone"]);
          expect(mine.map(({ attempts }) => attempts)).toEqual([1, ...Array(EVENTS - 1).fill(0)]);
          break;
        case "dies": {
          expect([last?.endpointState, last?.reason]).toEqual(["disabled", "failing"]);
          expect(states).not.toContain("delivered");
          const times = mine.flatMap(({ startedAt }) => startedAt ?? []);
          const lived = Math.max(...times) - Math.min(...times);
          expect(lived).toBeGreaterThanOrEqual(5 * DAY_SECONDS * 1_000 - 1_000);
          expect(lived).toBeLessThan(7 * DAY_SECONDS * 1_000);
          break;
        }
      }
    },
  );
});

test("every receiver that is repaired and enabled again gets its waiting events; none was dropped", () => {
  expect(new Set(healed.map(({ state }) => state))).toEqual(new Set(["delivered", "exhausted"]));
  expect(healed).toHaveLength(ZOO.length * EVENTS);
  expect(new Set(healed.map(({ endpointState }) => endpointState))).toEqual(new Set(["active"]));
});
