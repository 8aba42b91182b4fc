import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import type { Database } from "../storage/postgres/database.ts";
import { claimDeliveries } from "../storage/webhooks/claims.ts";
import { releaseDelivery } from "../storage/webhooks/deliveries.ts";
import { rowsRead } from "../testing/reading.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import { answerStatus, type ReceivedWebhook } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const idsOf = (received: readonly ReceivedWebhook[]) =>
  received.map((webhook) => webhook.headers["x-webhook-id"]);
const ordersOf = (received: readonly ReceivedWebhook[]) =>
  received.map(({ body }) => JSON.parse(body).details.orderId);
const typesOf = (received: readonly ReceivedWebhook[]) =>
  received.map(({ body }) => JSON.parse(body).eventType);
const claim = (database: Database) =>
  claimDeliveries(database, { worker: randomUUID(), deliveriesMax: 100, leaseMs: 60_000 });

describe("several dispatchers", () => {
  test("send each delivery once, and an endpoint at most four at a time", async () => {
    let underWay = 0;
    let underWayMax = 0;
    const receiver = await world.receive((response) => {
      underWayMax = Math.max(underWayMax, ++underWay);
      setTimeout(() => {
        underWay--;
        response.writeHead(204).end();
      }, 5);
    });
    await world.addEndpoint(receiver.url);
    for (let order = 1; order <= 120; order++) await world.addEvent(order);
    for (let count = 0; count < 4; count++) world.dispatch();
    await until(async () => (await world.attempts()).length >= 120);
    expect(new Set(idsOf(receiver.received)).size).toBe(120);
    expect(receiver.received).toHaveLength(120);
    expect(underWayMax).toBeGreaterThan(1);
    expect(underWayMax).toBeLessThanOrEqual(4);
  });

  test("that claim at the same moment never claim the same", async () => {
    const receiver = await world.receive();
    for (let count = 0; count < 5; count++) await world.addEndpoint(`${receiver.url}/${count}`);
    for (let order = 1; order <= 10; order++) await world.addEvent(order);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(world.database)));
    const claimed = claims.flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    for (const { endpointId } of claimed) {
      const ofEndpoint = claimed.filter((other) => other.endpointId === endpointId);
      expect(ofEndpoint.length).toBeLessThanOrEqual(4);
    }
    expect(await claim(world.database)).toHaveLength(20 - claimed.length);
  });
});

test("a merchant with many endpoints and events gets no more turns than one with a single one", async () => {
  const many = "client_dev_MANYMANYMANYMANY";
  await world.addMerchant(many);
  for (let count = 0; count < 20; count++) await world.addEndpointOf(many, "http://localhost:9/x");
  await world.addEndpoint("http://localhost:9/one");
  for (let order = 1; order <= 4; order++) {
    await world.addEventOf(many, order);
    await world.addEvent(order);
  }
  for (let turn = 1; turn <= 4; turn++) {
    const claimed = await claimDeliveries(world.database, {
      worker: randomUUID(),
      deliveriesMax: 2,
      leaseMs: 60_000,
    });
    const merchants = claimed.map(({ merchantId }) => merchantId).toSorted();
    expect(merchants).toEqual([world.merchantId, many].toSorted());
  }
});

test("endpoints that are new, failing or slow leave slots to those that are trusted", async () => {
  const proven = await world.receive();
  await world.addEndpoint(proven.url);
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  await dispatcher.stop();
  // On a busy machine the answer may have taken so long that the endpoint counts as slow for five minutes.
  await world.advance(301);
  for (let count = 0; count < 5; count++) await world.addEndpoint("http://localhost:9/new");
  for (let order = 2; order <= 5; order++) await world.addEvent(order);
  const options = { worker: randomUUID(), deliveriesMax: 10, untrustedMax: 3, leaseMs: 60_000 };
  const claimed = await claimDeliveries(world.database, options);
  expect(claimed.filter(({ endpoint }) => endpoint.isTrusted)).toHaveLength(4);
  expect(claimed.filter(({ endpoint }) => !endpoint.isTrusted)).toHaveLength(3);
});

test("the rows that a claim reads do not grow with the backlog", async () => {
  for (let count = 0; count < 20; count++) await world.addEndpoint(`http://localhost:9/${count}`);
  for (let order = 1; order <= 40; order++) await world.addEvent(order);
  await analyzeGrownTables(world.database);
  const read = await world.database.transaction(async (tx) => {
    const tables = ["deliveries", "pending_deliveries", "events"];
    const before = await rowsRead(tx, ...tables);
    const oneTransaction = { ...world.database, transaction: async (work) => work(tx) } as Database;
    expect(await claim(oneTransaction)).toHaveLength(80);
    return (await rowsRead(tx, ...tables)) - before;
  });
  // 800 deliveries wait. As one join of endpoints and deliveries the claim reads thousands more
  // rows.
  expect(read).toBeLessThan(1_000);
});

test("a dispatcher that hardly ever polls is woken by the event itself", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  let isListening = false;
  const listen: Database["listen"] = async (channel, onNotify) => {
    const stop = await world.database.listen(channel, onNotify);
    isListening = true;
    return stop;
  };
  world.dispatch({ pollMs: 3_600_000 }, { database: { ...world.database, listen } });
  await until(() => isListening);
  await world.addEvent(1);
  await until(() => receiver.received.length === 1);
  await world.addEvent(2);
  await until(() => receiver.received.length === 2);
  expect(ordersOf(receiver.received)).toEqual([1, 2]);
});

test("a dispatcher that hears no notification finds what is due by polling", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  const listen = async () => async () => {};
  world.dispatch({}, { database: { ...world.database, listen } });
  await world.addEvent(1);
  await until(() => receiver.received.length === 1);
  expect(ordersOf(receiver.received)).toEqual([1]);
});

test("a slow endpoint holds up no other", async () => {
  const slow = await world.receive(() => {});
  const quick = await world.receive();
  await world.addEndpoint(slow.url);
  await world.addEndpoint(quick.url);
  for (let order = 1; order <= 30; order++) await world.addEvent(order);
  // The slow endpoint never answers, and the slots are too few for its 30 deliveries.
  world.dispatch({ inFlightMax: 16 });
  await until(() => quick.received.length === 30);
  expect(slow.received.length).toBeLessThanOrEqual(4);
});

describe("within one order", () => {
  test("a later event waits until the earlier one is delivered; other orders do not", async () => {
    const receiver = await world.receive((response, nth) =>
      response.writeHead(nth === 1 ? 500 : 200).end(),
    );
    await world.addEndpoint(receiver.url);
    await world.addEvent(1, "OrderCreated");
    await world.addEvent(1, "OrderFulfillment");
    const dispatcher = world.dispatch();
    await until(() => receiver.received.length === 1);
    await world.addEvent(2);
    await until(async () => (await world.attempts()).length === 2);
    expect(ordersOf(receiver.received)).toEqual([1, 2]);
    await world.advance(6);
    dispatcher.wake();
    await until(() => receiver.received.length === 4);
    expect(ordersOf(receiver.received)).toEqual([1, 2, 1, 1]);
    expect(typesOf(receiver.received).slice(2)).toEqual(["OrderCreated", "OrderFulfillment"]);
  });

  test("an event that failed three times no longer holds back the next", async () => {
    const receiver = await world.receive(answerStatus(500));
    await world.addEndpoint(receiver.url);
    await world.addEvent(1, "OrderCreated");
    await world.addEvent(1, "OrderFulfillment");
    const dispatcher = world.dispatch();
    for (let count = 1; count < 3; count++) {
      await until(async () => (await world.attempts()).length === count);
      expect(typesOf(receiver.received)).not.toContain("OrderFulfillment");
      const [first] = await world.deliveries();
      await world.advance(first?.dueInSeconds ?? 0);
      dispatcher.wake();
    }
    await until(() => typesOf(receiver.received).includes("OrderFulfillment"));
  });
});

test("a lease does not end when the sandbox's clock jumps ahead", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  expect(await claim(world.database)).toHaveLength(1);
  await world.advance(30 * 86_400);
  expect(await claim(world.database)).toHaveLength(0);
  await world.expireLeases();
  expect(await claim(world.database)).toMatchObject([{ attempt: 2 }]);
});

test("a lease that ended between post and record: sent again under the same id, recorded once", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  let revive = (): void => {};
  const dead = new Promise<void>((resolve) => {
    revive = resolve;
  });
  let hangs = false;
  const hang = async (name: string): Promise<void> => {
    hangs ||= name === "delivery_attempts_record_delivered";
    if (hangs) await dead;
  };
  // It hangs from the moment of the record, so it does not claim the delivery again.
  const database: Database = {
    ...world.database,
    query: async (sql, values) => {
      await hang(sql.name);
      return world.database.query(sql, values);
    },
    transaction: async (work) => {
      if (hangs) await dead;
      return world.database.transaction(work);
    },
  };
  const first = world.dispatch({}, { database });
  await until(() => hangs);
  await world.expireLeases();
  world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  revive();
  await first.stop();
  const [before, after] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(after?.headers["x-webhook-id"]).toBe(before?.headers["x-webhook-id"]);
  expect(after?.headers["x-webhook-attempt"]).toBe("2");
  expect(await world.attempts()).toMatchObject([
    { number: 1, status: null, errorClass: "interrupted" },
    { number: 2, status: 200, errorClass: null },
  ]);
});

test("attempts that were broken off are counted and take nothing from the schedule", async () => {
  await world.addEndpoint("http://localhost:9/shop");
  await world.addEvent(1);
  for (let attempt = 1; attempt <= 12; attempt++) {
    expect(await claim(world.database)).toMatchObject([{ attempt, scheduleNumber: 1 }]);
    await world.expireLeases();
  }
  const [released] = await claim(world.database);
  if (released === undefined) throw new Error("nothing was claimed");
  await releaseDelivery(world.database, released);
  expect(await claim(world.database)).toMatchObject([{ attempt: 14, scheduleNumber: 1 }]);
  expect(await world.attempts()).toHaveLength(13);
});

test("a lease that may end before its attempt is released without posting", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const frozen = world.dispatch({ leaseMs: 15_000 });
  await until(async () => (await world.deliveries())[0]?.attempts === 1);
  await frozen.stop();
  expect(receiver.received).toHaveLength(0);
  await world.expireLeases();
  world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect(receiver.received).toHaveLength(1);
});

test("a claim that took too long is logged once, and the next one waits for the polling interval", async () => {
  await world.addEndpoint((await world.receive()).url);
  await world.addEvent(1);
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  let claims = 0;
  const database: Database = {
    ...world.database,
    transaction: (work) => {
      claims += 1;
      return world.database.transaction(work);
    },
  };
  world.dispatch({ leaseMs: 15_000, pollMs: 60_000 }, { database, log });
  await until(() => lines.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The listener wakes the dispatcher once when it begins to listen.
  expect(claims).toBeLessThanOrEqual(2);
  expect(lines).toHaveLength(claims);
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
    msg: "webhook claim took too long",
    deliveries: 1,
  });
});

test("a lease outlasts a database that is away for a moment: nothing is sent twice", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  let faults = 2;
  const database: Database = {
    ...world.database,
    query: (sql, values) =>
      sql.name === "delivery_attempts_record_delivered" && faults-- > 0
        ? Promise.reject(new Error("the connection broke"))
        : world.database.query(sql, values),
  };
  world.dispatch({}, { database });
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect(receiver.received).toHaveLength(1);
  expect(faults).toBeLessThan(0);
});

test("a dispatcher that stops returns its lease, and the next one sends again at once", async () => {
  const receiver = await world.receive((response, nth) => nth > 1 && response.end());
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const first = world.dispatch();
  await until(() => receiver.received.length === 1);
  await first.stop();
  expect(await world.deliveries()).toMatchObject([{ state: "pending", isHeld: false }]);
  world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
  expect(await world.attempts()).toMatchObject([
    { number: 1, errorClass: "interrupted" },
    { number: 2, status: 200 },
  ]);
});
