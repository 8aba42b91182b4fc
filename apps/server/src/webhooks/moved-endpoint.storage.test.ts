import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeWebhookEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { statement } from "../storage/postgres/database.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const ENDPOINT = statement(
  "test_moved_endpoint",
  "select state, failures, first_failure_at is not null as failing from webhook_endpoints",
);

/** Moves an endpoint to another URL while its old one has a webhook and has not answered it. */
async function moveDuringAttempt(): Promise<{ readonly answer: ServerResponse; url: string }> {
  const answers: ServerResponse[] = [];
  const old = await world.receive((response) => void answers.push(response));
  const next = await world.receive();
  const { endpoint } = await world.addEndpoint(old.url);
  await world.addEvent(1);
  world.dispatch();
  await until(() => answers.length === 1);
  const { merchantId } = world;
  const change = { merchantId, endpointId: endpoint.id, by: "merchant", url: next.url } as const;
  await changeWebhookEndpoint(world.deps, change);
  const [answer] = answers;
  if (!answer) throw new Error("there is no attempt");
  return { answer, url: next.url };
}

test.each([410, 500])(
  "an old URL that answers %i says nothing about the new one",
  async (status) => {
    const { answer } = await moveDuringAttempt();
    answer.writeHead(status).end();
    await until(async () => (await world.attempts()).length >= 1);
    expect(await world.database.query(ENDPOINT)).toEqual([
      { state: "active", failures: 0, failing: false },
    ]);
  },
);

test("a webhook that the old URL refused is due at the new one at once", async () => {
  const { answer } = await moveDuringAttempt();
  answer.writeHead(410).end();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect((await world.attempts()).map(({ status }) => status)).toEqual([410, 200]);
});
