import { createToken, newSessionId } from "../../support/merchant.ts";
import { eventually } from "../../support/processes.ts";
import { customerWith } from "../../support/purchase.ts";
import { type Books, countStrayTransfers, movedSince, readBooks } from "./books.ts";
import type { Journey, Scene } from "./journeys.ts";
import type { Lane } from "./lane.ts";

const TOKEN_SECONDS = 86_400;
const DEATH_MS = 15_000;
const TOLD_MS = 15_000;

/** What must be so after the crashes, and is not. */
export class CrashFault extends Error {}

export async function openScene(lane: Lane): Promise<Scene> {
  const sessionId = newSessionId();
  const created = await createToken(lane.service, lane.merchant, {
    sessionId,
    expiresIn: TOKEN_SECONDS,
  });
  return { lane, customer: customerWith(lane.service, sessionId, created.body.data.accessToken) };
}

/** The places a journey passes when nothing goes wrong. */
export async function placesOf(lane: Lane, journey: Journey): Promise<readonly string[]> {
  const passed = await lane.running().watch();
  await playToItsEnd(await openScene(lane), journey);
  const places = [...passed];
  await lane.running().kill();
  await lane.restart();
  return places;
}

/**
 * Plays a journey, kills the service at the places one after the other, starts it again each time,
 * plays on to the end and looks at what happened outside. A second place that is not passed any more
 * after the first crash kills nothing. Throws `CrashFault`.
 */
export async function crashAt(
  lane: Lane,
  journey: Journey,
  places: readonly string[],
): Promise<void> {
  const scene = await openScene(lane);
  const before = await readBooks(lane.database);
  const [first = "", ...others] = places;
  await dieAt(scene, journey, first);
  for (const place of others) {
    await lane.restart();
    if (await mayDieAt(scene, journey, place)) continue;
    await lane.running().kill();
  }
  await lane.restart();
  await playToItsEnd(scene, journey, before);
}

async function dieAt(scene: Scene, journey: Journey, place: string): Promise<void> {
  if (!(await mayDieAt(scene, journey, place))) throw new CrashFault(`${place} was never passed`);
}

/** Whether the service died there. What a dying service leaves unanswered is no fault. */
async function mayDieAt(scene: Scene, journey: Journey, place: string): Promise<boolean> {
  const running = scene.lane.running();
  await running.arm(place);
  const died = running.ended.then(() => true);
  await Promise.race([died, journey.play(scene).catch(() => {})]);
  return Promise.race([died, sleepUnref(DEATH_MS)]);
}

const sleepUnref = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref();
  });

/** Plays on where the crash left it and checks what everybody's books say. */
async function playToItsEnd(scene: Scene, journey: Journey, earlier?: Books): Promise<void> {
  const { lane, customer } = scene;
  const before = earlier ?? (await readBooks(lane.database));
  await journey.play(scene);
  await seeTold(scene, journey);
  const moved = movedSince(before, await readBooks(lane.database));
  const faults = Object.entries(journey.outside)
    .filter(([book, count]) => moved[book as keyof Books] !== count)
    .map(([book, count]) => `${moved[book as keyof Books]} ${book} instead of ${count}`);
  const stray = await countStrayTransfers(lane.database);
  if (stray > 0) faults.push(`${stray} transfers that no intent says`);
  if (faults.length > 0)
    throw new CrashFault(`session ${customer.sessionId}: ${faults.join(", ")}`);
}

/** Every event arrives, each under one id however often it is sent. */
async function seeTold({ lane, customer }: Scene, journey: Journey): Promise<void> {
  const ids = (): Map<string, Set<string>> => {
    const byEvent = new Map<string, Set<string>>();
    for (const { headers, body } of lane.receiver.received) {
      if (!body.includes(customer.sessionId)) continue;
      const { eventType } = JSON.parse(body) as { eventType: string };
      const known = byEvent.get(eventType) ?? new Set<string>();
      byEvent.set(eventType, known.add(String(headers["x-webhook-id"])));
    }
    return byEvent;
  };
  await eventually(
    `the webhooks ${journey.events.join(", ")}`,
    () => (journey.events.every((event) => ids().has(event)) ? true : undefined),
    TOLD_MS,
  );
  for (const [event, known] of ids()) {
    if (!journey.events.includes(event)) throw new CrashFault(`${event} was told as well`);
    if (known.size > 1) throw new CrashFault(`${event} came under ${known.size} ids`);
  }
}
