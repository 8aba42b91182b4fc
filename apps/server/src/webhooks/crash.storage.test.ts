import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { statement } from "../storage/postgres/database.ts";
import type { DoomedSettings } from "../testing/webhooks/doomed-dispatcher.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

const DOOMED = fileURLToPath(
  new URL("../../dist/testing/webhooks/doomed-dispatcher.js", import.meta.url),
);
const DATABASE_NAME = statement("test_name", "select current_database() as name");

let world: World;

beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

async function dieAt(failpoint: string): Promise<NodeJS.Signals | null> {
  const [row] = await world.database.query<{ name: string }>(DATABASE_NAME);
  const connection = { ...inject("storageServer"), ...(row && { database: row.name }) };
  const settings: DoomedSettings = { connection, keyLine: world.keyLine, failpoint };
  const child = spawn(process.execPath, [DOOMED, JSON.stringify(settings)], { stdio: "inherit" });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}

test.each([
  ["before it posts", "webhook.before_post", { posts: 1, attempts: 2 }],
  ["between post and record", "webhook.after_post", { posts: 2, attempts: 2 }],
  ["after it recorded", "webhook.after_record", { posts: 1, attempts: 1 }],
])("a dispatcher killed %s: delivered, under one id", async (_when, failpoint, expected) => {
  const receiver = await world.receive();
  const { secret } = await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  expect(await dieAt(failpoint)).toBe("SIGKILL");
  await world.expireLeases();
  const laterBy = 60_000;
  world.dispatch({ realNow: () => new Date(Date.now() + laterBy) });
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  const { received } = receiver;
  expect(received).toHaveLength(expected.posts);
  expect(new Set(received.map(({ headers }) => headers["x-webhook-id"])).size).toBe(1);
  const signatures = received.map(({ headers }) => headers["x-webhook-signature"]);
  expect(new Set(signatures).size).toBe(expected.posts);
  for (const { body, headers } of received) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
  }
  const attempts = await world.attempts();
  expect(attempts).toHaveLength(expected.attempts);
  expect(attempts.at(-1)).toMatchObject({ number: expected.attempts, status: 200 });
});
