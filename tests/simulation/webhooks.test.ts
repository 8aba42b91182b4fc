import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { DoomedSettings } from "../../apps/server/src/testing/webhooks/doomed-dispatcher.ts";
import type { Receiver } from "../../apps/server/src/testing/webhooks/receiver.ts";
import { makeWorld, type World } from "../../apps/server/src/testing/webhooks/world.ts";
import { addDeliveries, booksOf } from "./books.ts";
import { progress, ran, roundsOf, SEED, seededNumbers } from "./campaign.ts";
import { databaseName } from "./stage.ts";

const DELIVERIES = roundsOf({ test: 60, campaign: 100_000 });
const WORKERS = 2;
const ENDPOINTS = 8;
/** A delivery is exhausted after ten refusals. The receiver accepts each before that. */
const REQUESTS_MAX = 8;
const DOOMED = fileURLToPath(
  new URL("../../apps/server/dist/testing/webhooks/doomed-dispatcher.js", import.meta.url),
);
const random = seededNumbers(SEED);
const pick = (below: number): number => Math.floor(random() * below);

let world: World;
let receiver: Receiver;
const workers: ChildProcess[] = [];
const secrets = new Map<string, string>();
/** The deliveries that the receiver accepted: the order, the id, and how often. */
const taken = new Map<number, { readonly id: string; times: number }>();
const orderOfId = new Map<string, number>();
const requestsOf = new Map<number, number>();
const faults: string[] = [];
let received = 0;

/** Bad networks and bad receivers in turn. A receiver may accept a delivery and lose its answer. */
const ANSWERS: readonly ((response: ServerResponse, take: () => void) => void)[] = [
  ...Array.from({ length: 5 }, () => (response: ServerResponse, take: () => void) => {
    take();
    response.end("ok");
  }),
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(429, { "retry-after": "7" }).end(),
  (response) => response.destroy(),
  (response, take) => {
    take();
    response.destroy();
  },
  (response, take) => setTimeout(() => (take(), response.end()), pick(120)),
];

function judge(response: ServerResponse): void {
  const webhook = receiver.received.pop();
  if (webhook === undefined) return;
  received++;
  const headers = webhook.headers as Record<string, string>;
  const id = String(headers["x-webhook-id"]);
  const secret = secrets.get(webhook.path) ?? "";
  try {
    new Webhook(secret).verify(webhook.body, headers);
  } catch (error) {
    faults.push(`${id}: ${String(error)}`);
  }
  const { orderId } = JSON.parse(webhook.body).details as { orderId: number };
  const earlierOrderId = orderOfId.get(id);
  if (earlierOrderId !== undefined && earlierOrderId !== orderId)
    faults.push(`${id} names two events`);
  orderOfId.set(id, orderId);
  const requests = (requestsOf.get(orderId) ?? 0) + 1;
  requestsOf.set(orderId, requests);
  const answer = requests < REQUESTS_MAX ? pick(ANSWERS.length) : 0;
  ANSWERS[answer]?.(response, () => {
    const before = taken.get(orderId);
    if (before !== undefined && before.id !== id) faults.push(`order ${orderId} has two ids`);
    taken.set(orderId, { id, times: (before?.times ?? 0) + 1 });
  });
}

beforeAll(async () => {
  world = await makeWorld();
  receiver = await world.receive(judge);
  for (let at = 0; at < ENDPOINTS; at++) {
    const { secret } = await world.addEndpoint(`${receiver.url}/${at}`);
    secrets.set(`/hook/${at}`, secret);
  }
  await addDeliveries(world.database, world.merchantId, DELIVERIES);
});
afterAll(async () => {
  await Promise.all(workers.map(kill));
  await world.close();
});

async function startWorker(): Promise<ChildProcess> {
  const database = await databaseName(world.database);
  const connection = { ...inject("storageServer"), database };
  const settings: DoomedSettings = { connection, keyLine: world.keyLine };
  return spawn(process.execPath, [DOOMED, JSON.stringify(settings)], { stdio: "inherit" });
}

async function kill(worker: ChildProcess): Promise<void> {
  const ended = once(worker, "exit");
  worker.kill("SIGKILL");
  await ended;
}

/** Waits until some more requests came; time passes when nothing is due. False: nothing is left. */
async function workOn(requests: number): Promise<boolean> {
  const enough = received + requests;
  while (received < enough) {
    const pending = await booksOf(world.database).pendingDeliveries();
    if (pending.count === 0) return false;
    const due = pending.dueInSeconds ?? 0;
    if (due > 0) await world.advance(due + 120);
    await sleep(20);
  }
  return true;
}

test("of deliveries under faults, workers killed at random lose none and share no id", async () => {
  workers.push(...(await Promise.all(Array.from({ length: WORKERS }, startWorker))));
  let kills = 0;
  while (await workOn(1 + pick(30))) {
    // The worker is killed in the middle of its work.
    await sleep(pick(40));
    const at = pick(WORKERS);
    await kill(workers[at] as ChildProcess);
    kills++;
    // Other workers' leases end with the dead one's: what they hold is sent twice, and recorded once.
    await world.expireLeases();
    workers[at] = await startWorker();
    if (kills % 50 === 0) progress(`${taken.size} of ${DELIVERIES} taken after ${kills} kills`);
  }
  await Promise.all(workers.splice(0).map(kill));
  expect(faults).toEqual([]);
  const missing = (await world.deliveries()).filter(({ orderId }) => !taken.has(orderId));
  expect(missing).toEqual([]);
  expect(taken.size).toBe(DELIVERIES);
  expect(kills).toBeGreaterThan(0);
  const twice = [...taken.values()].filter(({ times }) => times > 1).length;
  progress(`${kills} kills; ${twice} of ${DELIVERIES} came more than once, each under its one id`);
  ran(DELIVERIES, "deliveries");
});
