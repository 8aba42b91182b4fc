import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { vi } from "vitest";
import { createToken, newSessionId } from "../../support/orders/merchant.ts";
import { customerWith } from "../../support/orders/purchase.ts";
import { booksOf, movedSince, type RailBooks, sql } from "../books.ts";
import type { Journey } from "./journeys.ts";
import type { Lane } from "./lane.ts";
import type { Scene } from "./steps.ts";

const TOKEN_SECONDS = 86_400;
/** A place that was not passed by then is not waited for. Usually nothing is left to do much earlier. */
const DEATH_MS = 15_000;
const LOOK_MS = 100;
const WEBHOOKS_MS = 60_000;
/** Timing decides about some places: a payout may be final when it is first looked up. */
const SCENES_MAX = 4;
/** A process tells a moment later what it passed, and a job that ends may be followed by another one. */
const SETTLE_MS = 1_000;
/** No failpoint has this name. */
const NOWHERE = "";

// An ended order is still watched for late money, and the processor is still asked about its challenge. Those jobs do
// not belong to the next journey.
const FORGET_ENDED =
  sql(`delete from jobs where kind in ('watch_payment', 'authorize_payment') and order_id in (
  select id from orders where status in ('completed', 'refunded', 'failed', 'cancelled', 'expired'))`);

/**
 * Jobs and webhooks that run, or will run in a moment. Jobs look for late money until long after an order's end. Such
 * a job counts only when it is due.
 */
const LEFT_TO_DO = sql(`select from jobs where lease_token is not null or run_at <= business_now()
    + case kind when 'watch_payment' then interval '0 seconds' else interval '5 seconds' end
  union all select from pending_deliveries where next_attempt_at <= business_now() + interval '5 seconds'`);

/** A promise that does not hold after the crashes. */
export class CrashFault extends Error {}

export async function openScene(
  lane: Lane,
  { countryCode = "DE" }: Pick<Journey, "countryCode">,
): Promise<Scene> {
  await lane.database.query(FORGET_ENDED);
  const sessionId = newSessionId();
  const created = await createToken(lane.service, lane.merchant, {
    sessionId,
    expiresIn: TOKEN_SECONDS,
    customer: { countryCode },
  });
  return { lane, customer: customerWith(lane.service, sessionId, created.body.data.accessToken) };
}

/** Plays a journey. Returns the places that it passed. A busy process passes the last ones late. */
export async function placesOf(lane: Lane, journey: Journey): Promise<readonly string[]> {
  const scene = await openScene(lane, journey);
  // A job that looks for late money of an earlier journey may still run.
  await untilIdle(lane);
  lane.forget();
  await playToItsEnd(scene, journey);
  return placesPassed(lane, journey);
}

/** Where the service is killed, one place after the other. */
export interface Crashes {
  readonly places: readonly string[];
  /** Each crash takes down everything, not only the half that passes the place. */
  readonly areTotal: boolean;
}

/**
 * Plays a journey, kills the service at the places, starts it again each time, plays on to the end and looks at what
 * happened outside. A place that is not passed any more after an earlier crash kills nothing. Returns the number of crashes.
 * Throws `CrashFault`.
 */
export async function crashAt(
  lane: Lane,
  journey: Journey,
  crashes: Crashes,
  scenesMax = SCENES_MAX,
): Promise<number> {
  const { places, areTotal } = crashes;
  let count = 0;
  const scene = await openScene(lane, journey);
  const before = await booksOf(lane.database).ofRails();
  for (const [number, place] of places.entries()) {
    const died = await mayDieAt(scene, journey, place);
    if (!died && number === 0) {
      if (scenesMax === 1) throw new CrashFault(`${place} was never passed`);
      await playToItsEnd(scene, journey, before);
      return crashAt(lane, journey, crashes, scenesMax - 1);
    }
    if (died) count += 1;
    await (areTotal ? lane.restartAll(places[number + 1]) : lane.restartDead());
  }
  await playToItsEnd(scene, journey, before);
  return count;
}

/** Returns the places of the journey that are passed after everything died at the first one. */
export async function placesAfter(
  lane: Lane,
  journey: Journey,
  first: string,
): Promise<readonly string[]> {
  await crashAt(lane, journey, { places: [first], areTotal: true });
  return placesPassed(lane, journey);
}

async function placesPassed(lane: Lane, { places }: Journey): Promise<readonly string[]> {
  await untilIdle(lane);
  return lane.passed().filter((place) => places?.test(place) ?? true);
}

/** Returns whether a process died there. Its unanswered calls are not a fault. */
async function mayDieAt(scene: Scene, journey: Journey, place: string): Promise<boolean> {
  const { lane } = scene;
  await lane.arm(place);
  const died = lane.died().then(() => true);
  await Promise.race([died, journey.play(scene).catch(() => {})]);
  if (await Promise.race([died, untilIdle(lane)])) return true;
  // A busy process would still die there, in the middle of what follows.
  await lane.arm(NOWHERE);
  return Promise.race([died, turn(false)]);
}

/** Resolves when nothing has been left to do for a moment, so that no further place is passed. */
async function untilIdle({ database }: Lane): Promise<false> {
  const untilMs = performance.now() + DEATH_MS;
  let idleSinceMs = performance.now();
  while (performance.now() < untilMs && performance.now() - idleSinceMs < SETTLE_MS) {
    await sleep(LOOK_MS);
    if ((await database.query(LEFT_TO_DO)).length > 0) idleSinceMs = performance.now();
  }
  return false;
}

/** Continues after the crash and checks the books of all parties. */
async function playToItsEnd(scene: Scene, journey: Journey, earlier?: RailBooks): Promise<void> {
  const { lane, customer } = scene;
  const books = booksOf(lane.database);
  const before = earlier ?? (await books.ofRails());
  await journey.play(scene);
  await seeWebhooks(scene, journey);
  const moved = movedSince(before, await books.ofRails());
  const faults = Object.entries(journey.outside)
    .filter(([book, count]) => moved[book as keyof RailBooks] !== count)
    .map(([book, count]) => `${moved[book as keyof RailBooks]} ${book} instead of ${count}`);
  const stray = await books.strayTransfers();
  if (stray > 0) faults.push(`${stray} transfers without an intent`);
  if (faults.length > 0)
    throw new CrashFault(`session ${customer.sessionId}: ${faults.join(", ")}`);
}

/** Checks that every event arrives, and always under the same id. */
async function seeWebhooks({ lane, customer }: Scene, journey: Journey): Promise<void> {
  const ids = (): Map<string, Set<string>> => {
    const byEvent = new Map<string, Set<string>>();
    for (const { headers, body } of lane.receiver.received) {
      if (!body.includes(customer.sessionId)) continue;
      const { eventType } = JSON.parse(body) as { eventType: string };
      const webhookIds = byEvent.get(eventType) ?? new Set<string>();
      byEvent.set(eventType, webhookIds.add(String(headers["x-webhook-id"])));
    }
    return byEvent;
  };
  await vi.waitUntil(() => (journey.events.every((event) => ids().has(event)) ? true : undefined), {
    timeout: WEBHOOKS_MS,
  });
  for (const [event, found] of ids()) {
    if (!journey.events.includes(event)) throw new CrashFault(`${event} was sent as well`);
    if (found.size > 1) throw new CrashFault(`${event} came under ${found.size} ids`);
  }
}
