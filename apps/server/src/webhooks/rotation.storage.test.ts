import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeWebhookEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { rotateWebhookSecret } from "../flows/webhooks/rotate-secret.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import type { ReceivedWebhook, Receiver } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";
import { documentedSignature, makeSigningKey } from "./signatures.ts";

let world: World;
let receiver: Receiver;
let endpointId: string;
let first: string;
beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
  receiver = await world.receive();
  const added = await world.addEndpoint(receiver.url);
  endpointId = added.endpoint.id;
  first = added.secret;
  world.dispatch();
});
afterEach(() => world.close());

const key = () => ({ merchantId: world.merchantId, endpointId });
const rotate = async (overlapSeconds?: number): Promise<string> => {
  const { secret } = await rotateWebhookSecret(world.deps, { ...key(), overlapSeconds });
  return secret;
};

let order = 0;
/** Returns the secrets that sign the next webhook. */
const signedWith = async (secrets: Readonly<Record<string, string>>) => {
  order++;
  const already = receiver.received.length;
  await world.addEvent(order);
  await until(() => receiver.received.length > already);
  const webhook = receiver.received.at(-1) as ReceivedWebhook;
  const holds = (secret: string) => {
    try {
      new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const documented = (secret: string) =>
    documentedSignature(makeSigningKey(secret), {
      webhookId: String(webhook.headers["x-webhook-id"]),
      timestamp: Number(webhook.headers["x-webhook-timestamp"]),
      eventType: "OrderCreated",
      orderId: BigInt(order),
      body: "",
    }) === webhook.headers["x-webhook-signature"];
  const namesOf = (isMadeWith: (secret: string) => boolean) =>
    Object.keys(secrets).filter((name) => isMadeWith(secrets[name] ?? ""));
  return { standard: namesOf(holds), documented: namesOf(documented) };
};

test("for a day receivers with either secret verify, then those with the new one only", async () => {
  const second = await rotate();
  const secrets = { first, second };
  const during = { standard: ["first", "second"], documented: ["first"] };
  expect(await signedWith(secrets)).toEqual(during);
  await world.advance(86_390);
  expect(await signedWith(secrets)).toEqual(during);
  await world.advance(20);
  expect(await signedWith(secrets)).toEqual({ standard: ["second"], documented: ["second"] });
});

test("the merchant cuts over to the new secret when its receivers have it", async () => {
  const second = await rotate();
  const deps = world.deps;
  await changeWebhookEndpoint(deps, { ...key(), by: "merchant", endOverlap: true });
  expect(await signedWith({ first, second })).toEqual({
    standard: ["second"],
    documented: ["second"],
  });
});

test("a secret that leaked is ended at once, the one before it too", async () => {
  const second = await rotate();
  const third = await rotate(0);
  expect(await signedWith({ first, second, third })).toEqual({
    standard: ["third"],
    documented: ["third"],
  });
});

test("a second rotation replaces the newer secret, and receivers with the older one keep working", async () => {
  const second = await rotate();
  const third = await rotate();
  expect(await signedWith({ first, second, third })).toEqual({
    standard: ["first", "third"],
    documented: ["first"],
  });
  await world.advance(86_410);
  expect(await signedWith({ first, second, third })).toEqual({
    standard: ["third"],
    documented: ["third"],
  });
});

test("two rotations at the same moment leave one of their secrets and the one before", async () => {
  const [second, third] = await Promise.all([rotate(), rotate()]);
  const { standard, documented } = await signedWith({ first, second, third });
  expect(standard).toContain("first");
  expect(standard).toHaveLength(2);
  expect(documented).toEqual(["first"]);
});
