import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../apps/server/src/storage/embedded/embedded-postgres.ts";
import { found } from "../../apps/server/src/testing/catalogue.ts";
import { CARDS, payByCard } from "../support/orders/purchase.ts";
import { booksOf } from "./books.ts";
import { progress, ran, replayLine, roundsOf, SEED, seededNumbers } from "./campaign.ts";
import { openScene } from "./crash/crash.ts";
import { JOURNEYS } from "./crash/journeys.ts";
import { type Lane, openLane } from "./crash/lane.ts";
import { ordered, type Scene } from "./crash/steps.ts";

const STOPS = { test: 1, campaign: 20 } as const;
const CUSTOMERS = 6;
/** Long enough for orders to be at every step when the database stops. */
const LOAD_MS = 1_500;
const AWAY_MS = 60_000;

const [journey] = JOURNEYS.filter(({ name }) => name === "buy by card");

let folder = "";
let postgres: EmbeddedPostgres;
let lane: Lane;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-stops-"));
  postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, "postgres") });
  lane = await openLane(postgres.connection);
});
afterAll(async () => {
  await lane?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The answers that a customer received. The database must agree with them. */
interface Acknowledged {
  readonly scene: Scene;
  orderId?: number;
  isPaying?: boolean;
}

const WISH = {
  ...({ operationType: "B", base: "eur", amount: 100, target: "btc", payment: "card" } as const),
  order: { walletAddress: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" },
};

/** Lets one customer after the other buy, each as far as the database allows. */
async function buyOn(history: Acknowledged[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      const acknowledged: Acknowledged = { scene: await openScene(lane, {}) };
      history.push(acknowledged);
      acknowledged.orderId = (await ordered(acknowledged.scene, WISH)).orderId;
      const paying = await payByCard(acknowledged.scene.customer, acknowledged.orderId, CARDS.visa);
      acknowledged.isPaying = paying.status === 201;
    } catch {
      // Without an answer nothing was acknowledged.
      await sleep(50);
    }
  }
}

/** Stops PostgreSQL in immediate mode (SIGQUIT): without a checkpoint, so that the next start recovers. */
async function stopAtOnce(): Promise<void> {
  const stopped = postgres.pid();
  process.kill(stopped, "SIGQUIT");
  await vi.waitUntil(
    async () => {
      if (postgres.pid() === stopped) return undefined;
      return openScene(lane, {}).catch(() => undefined);
    },
    { timeout: AWAY_MS },
  );
}

test("whenever PostgreSQL is stopped at once, what was acknowledged is there, and nothing twice", async () => {
  const stops = roundsOf(STOPS);
  const random = seededNumbers(SEED);
  const history: Acknowledged[] = [];
  let isOver = false;
  const buying = Array.from({ length: CUSTOMERS }, () => buyOn(history, () => isOver));
  for (let number = 1; number <= stops; number++) {
    await sleep(LOAD_MS * (0.5 + random()));
    await stopAtOnce();
    progress(`stop ${number} of ${stops}; ${history.length} customers so far`);
  }
  isOver = true;
  await Promise.all(buying);
  const replay = replayLine("database", "");
  for (const { scene, orderId, isPaying } of history) {
    const order = await ordered(scene, WISH);
    if (orderId !== undefined) expect(order.orderId, replay).toBe(orderId);
    if (isPaying) expect(order.status, replay).not.toBe("awaiting_payment");
    await found(journey).play(scene);
  }
  const books = booksOf(lane.database);
  const once = { captures: history.length, transfers: history.length };
  expect(await books.ofRails(), replay).toMatchObject(once);
  expect(await books.strayTransfers(), replay).toBe(0);
  expect(await lane.commandProblems(), replay).toEqual([]);
  ran(stops, "immediate stops of PostgreSQL");
});
