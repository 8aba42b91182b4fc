import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FailingCall, makeObserve, type ObserverOptions } from "../auditor/observer.ts";
import { operatorPolicy } from "../domain/webhooks/targets.ts";
import {
  claimAlertMessages,
  clearOldAlerts,
  listOpenAlerts,
  recordCauses,
} from "../storage/alerts/alerts.ts";
import { putStop } from "../storage/payouts/stops.ts";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { startMailServer } from "../testing/mail-server.ts";
import { answerStatus, type Receiver, startReceiver } from "../testing/webhooks/receiver.ts";
import { makeWorld, type World } from "../testing/world.ts";
import { makePoster, type Poster } from "../webhooks/poster.ts";
import { mailWay, sendAlerts, webhookWay } from "./alert-sender.ts";

let world: World;
let receiver: Receiver;
let poster: Poster;
const failing = new Map<string, FailingCall>();

beforeAll(async () => {
  world = await makeWorld();
  receiver = await startReceiver();
  poster = makePoster({ policy: operatorPolicy(receiver.url) });
});
afterAll(async () => {
  await poster.close();
  await receiver.close();
  await world.close();
});
beforeEach(async () => {
  receiver.answer = answerStatus(200);
  receiver.received.length = 0;
  failing.clear();
  await run("delete from operator_alert_messages");
  await run("delete from operator_alerts");
});

const run = (text: string) => world.database.write(unnamedStatement(text));
const observing = (options: Partial<ObserverOptions> = {}) =>
  makeObserve(world.deps, {
    isAuditor: () => true,
    failingRails: () => failing,
    lowFloats: () => [],
    hasPrices: () => true,
    liveNetworks: [],
    channels: ["webhook"],
    ...options,
  });
const send = async (): Promise<void> => {
  const { signal } = new AbortController();
  await sendAlerts(world.deps, webhookWay(receiver.url, poster), signal);
};
/** Makes every message due now. */
const retry = () => run("update operator_alert_messages set next_attempt_at = clock_timestamp()");
const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as Record<string, string>);
const cause = (name: string) => ({
  id: world.deps.ids.orderedUuid(),
  cause: name,
  summary: "It broke.",
});

const openCauses = async () => (await listOpenAlerts(world.database)).map(({ cause }) => cause);

test("a stop and a rail that fails for a minute are reported once each, and their end once", async () => {
  const observers = [observing(), observing()];
  const look = () => Promise.all(observers.map((observe) => observe()));
  const stop = { kind: "rail", subject: "card", reason: "a test", setBy: "anna" } as const;
  await putStop(world.database, { ...stop, peopleToResume: 1 });
  failing.set("bank", { call: "submit", lastingMs: 61_000 });
  failing.set("card", { call: "capture", lastingMs: 1_000 });
  await look();
  await send();
  await look();
  await retry();
  await send();
  expect(bodies().map(({ cause: name, state }) => [name, state])).toEqual(
    expect.arrayContaining([
      ["stop:rail card", "begun"],
      ["rail_down:bank", "begun"],
    ]),
  );
  expect(bodies().map(({ summary }) => summary)).toContain(
    "The rail bank does not work: calls of the kind submit have failed for more than a minute.",
  );
  expect(bodies()).toHaveLength(2);
  const [first] = bodies();
  expect(first).toMatchObject({ environment: "dev", endedAt: null });
  expect(first?.["text"]).toContain("/docs/operating/runbooks/");
  expect(await world.deps.metrics.alertsOpen.get()).toMatchObject({
    values: expect.arrayContaining([{ labels: { cause: "rail_down" }, value: 1 }]),
  });

  failing.clear();
  await look();
  await send();
  expect(bodies()).toHaveLength(2);
  await run("update operator_alerts set seen_at = seen_at - interval '61 seconds'");
  await look();
  await send();
  const ended = bodies().slice(2);
  expect(ended.map(({ cause: name, state }) => [name, state])).toEqual([
    ["rail_down:bank", "ended"],
  ]);
  expect(ended[0]?.["endedAt"]).not.toBeNull();
  expect(await openCauses()).toEqual(["stop:rail card"]);
});

test("an alert that was open before messages were switched on is sent once", async () => {
  const found = [cause("audit_break")];
  await recordCauses(world.database, found, { channels: [] });
  await send();
  expect([await openCauses(), bodies()]).toEqual([["audit_break"], []]);
  for (const channels of [["webhook"], ["webhook"], ["webhook", "mail"]] as const) {
    await recordCauses(world.database, found, { channels });
    await send();
    await retry();
  }
  expect(bodies().map(({ state }) => state)).toEqual(["begun"]);
  const { signal } = new AbortController();
  const mailed: unknown[] = [];
  const way = { channel: "mail", send: async (mail: unknown) => void mailed.push(mail) } as const;
  await sendAlerts(world.deps, way, signal);
  expect(mailed).toEqual([]);
});

test("a cause that ended may begin again, and is then a new alert", async () => {
  const options = { channels: ["webhook"], goneSeconds: 0 } as const;
  await recordCauses(world.database, [cause("audit_break")], options);
  await recordCauses(world.database, [], options);
  await recordCauses(world.database, [cause("audit_break")], options);
  await send();
  await send();
  await retry();
  await send();
  const states = bodies().map(({ state }) => state);
  expect(states.filter((state) => state === "begun")).toHaveLength(2);
  expect(states).toHaveLength(3);
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(3);
});

test("alerts are deleted 90 days after they ended, and open ones stay", async () => {
  const options = { channels: ["webhook"], goneSeconds: 0 } as const;
  await recordCauses(world.database, [cause("audit_break"), cause("stop:rail card")], options);
  await recordCauses(world.database, [cause("stop:rail card")], options);
  expect(await clearOldAlerts(world.database, 10)).toBe(0);
  await run("update operator_alerts set ended_at = ended_at - interval '91 days'");
  expect(await clearOldAlerts(world.database, 10)).toBe(1);
  expect(await openCauses()).toEqual(["stop:rail card"]);
});

test("a refused message is sent again with the same id, and its end waits for it", async () => {
  receiver.answer = answerStatus(500);
  const options = { channels: ["webhook"], goneSeconds: 0 } as const;
  await recordCauses(world.database, [cause("workers_late")], options);
  await recordCauses(world.database, [], options);
  await send();
  await send();
  expect(bodies().map(({ state }) => state)).toEqual(["begun"]);
  receiver.answer = answerStatus(204);
  await retry();
  await send();
  await send();
  expect(bodies().map(({ state }) => state)).toEqual(["begun", "begun", "ended"]);
  expect(bodies()[0]?.["id"]).toBe(bodies()[1]?.["id"]);
  expect(receiver.received[1]?.headers["x-alert-id"]).toBe(bodies()[1]?.["id"]);
  await retry();
  await send();
  expect(bodies()).toHaveLength(3);
});

test("overdue work begins no alert right after a start, and an open alert goes on", async () => {
  const options = { channels: ["webhook"], goneSeconds: 0 } as const;
  const overdue = { ...cause("audit_stale"), onlyContinues: true };
  await recordCauses(world.database, [overdue], options);
  expect(await openCauses()).toEqual([]);
  await recordCauses(world.database, [cause("audit_stale")], options);
  await recordCauses(world.database, [{ ...overdue, summary: "It is still broken." }], options);
  expect(await listOpenAlerts(world.database)).toMatchObject([
    { cause: "audit_stale", summary: "It is still broken." },
  ]);
});

test("overdue work is reported five minutes after a start, also when workers die meanwhile", async () => {
  const overdue = ["audit_stale", "rails_not_compared"];
  const reported = async () => (await openCauses()).filter((each) => overdue.includes(each));
  /** A new worker reads the state after one that had read it for `secondsBefore`, until `secondsAgo`. */
  const nextWorker = async (secondsBefore: number, secondsAgo: number) => {
    await world.database.transaction((tx) =>
      tx.runScript(`update audit_progress set
        observed_since = clock_timestamp() - interval '${secondsBefore} seconds',
        observed_at = clock_timestamp() - interval '${secondsAgo} seconds'`),
    );
    await observing()();
  };
  await world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica;
      update installation set created_at = created_at - interval '1 day';
      insert into audit_progress (cluster, watermark) select ledger_cluster(), '0'`),
  );
  await observing()();
  await nextWorker(240, 330);
  // The service was away for longer than a restart takes, so this is another start.
  await nextWorker(3_600, 410);
  expect(await reported()).toEqual([]);
  await nextWorker(301, 20);
  expect((await reported()).toSorted()).toEqual(overdue);
});

test("a process that dies after the claim loses no message, and two processes claim each once", async () => {
  await recordCauses(world.database, [cause("payouts_held")], { channels: ["webhook"] });
  const claims = await Promise.all([1, 2].map(() => claimAlertMessages(world.database, "webhook")));
  expect(claims.flat()).toHaveLength(1);
  await send();
  expect(receiver.received).toHaveLength(0);
  await retry();
  await send();
  expect(bodies().map(({ cause: name }) => name)).toEqual(["payouts_held"]);
});

test("a message goes out in each way, and one way does not wait for another", async () => {
  const mails = await startMailServer();
  const way = mailWay(mails.mailer, ["ops@example.com", "night@example.com"]);
  receiver.answer = answerStatus(500);
  const options = { channels: ["webhook", "mail"], goneSeconds: 0 } as const;
  await recordCauses(world.database, [cause("audit_break")], options);
  await recordCauses(world.database, [], options);
  const { signal } = new AbortController();
  await send();
  for (let round = 0; round < 3; round++) await sendAlerts(world.deps, way, signal);
  expect(bodies().map(({ state }) => state)).toEqual(["begun"]);
  expect(mails.received.map(({ to }) => to)).toEqual(
    Array(2).fill(["ops@example.com", "night@example.com"]),
  );
  const [begun, ended] = mails.received;
  expect(begun?.text).toMatch(/^Subject: Exchange dev, begun: It broke.\r$/m);
  expect(begun?.text).toContain("/docs/operating/runbooks/");
  expect(ended?.text).toMatch(/^Subject: Exchange dev, ended: It broke.\r$/m);
  await mails.close();
});

test("a process that is not the auditor reads nothing and reports no gauges", async () => {
  await observing()();
  expect((await world.deps.metrics.auditBreaks.get()).values).toHaveLength(1);
  await observing({ isAuditor: () => false })();
  expect((await world.deps.metrics.auditBreaks.get()).values).toHaveLength(0);
  expect((await world.deps.metrics.ordersOpen.get()).values).toHaveLength(0);
});
