import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startAuditor } from "../auditor/auditor.ts";
import { makeObserve } from "../auditor/observer.ts";
import { TOTAL_KEY } from "../domain/payouts/limits.ts";
import { PayoutWaits } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { RateSource } from "../domain/ports/rate-source.ts";
import type { Deps } from "../flows/deps.ts";
import { setFloatGauges } from "../flows/treasury/watch.ts";
import { buildHttpServer } from "../http/server.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { METRICS, type MetricKey } from "../metrics/table.ts";
import { listOpenAlerts } from "../storage/alerts/alerts.ts";
import { setRestored } from "../storage/history.ts";
import { putPayoutLimits } from "../storage/payouts/controls.ts";
import { putStop } from "../storage/payouts/stops.ts";
import { openDatabase, unnamedStatement } from "../storage/postgres/database.ts";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";
import { found } from "../testing/catalogue.ts";
import { GENEROUS } from "../testing/http-world.ts";
import { makeOrderWorld, ORDERS, type OrderWorld } from "../testing/orders.ts";
import { turnByHand } from "../testing/turn-by-hand.ts";
import { MERCHANT_ID } from "../testing/world.ts";
import { reportDatabase } from "./log.ts";
import { meterRail } from "./metering.ts";
import { setGaugesOfProcess } from "./process-gauges.ts";
import { makeRailStates } from "./rail-states.ts";
import { LOOP_DEADLINES_MS, LOOPS, LOOPS_CHECK_MS, watchLoops } from "./watch-loops.ts";

const registry = makeMetrics();
const { metrics } = registry;
const rails = makeRailStates();
const hand = turnByHand();
const lowFloats: string[] = [];
let clockAheadMs = 0;
let world: OrderWorld;
/** The dependencies of the process whose gauges are read. A test replaces the part that it breaks. */
let broken: Partial<Deps> = {};
let observe: () => Promise<void>;

beforeAll(async () => {
  world = await makeOrderWorld({ metrics });
  observe = makeObserve(world.deps, {
    isAuditor: () => true,
    failingRails: rails.failing,
    lowFloats: () => lowFloats,
    settledAfterSeconds: 0,
    hasPrices: () => true,
    liveNetworks: [],
    channels: [],
  });
  const deps = {
    get database() {
      return broken.database ?? world.database;
    },
    get rates() {
      return broken.rates ?? world.deps.rates;
    },
    clock: world.deps.clock,
    clockAheadMs: () => clockAheadMs,
    catalogue: world.deps.catalogue,
  };
  const loops = watchLoops(world.deps.log, LOOPS.worker, hand.every);
  setGaugesOfProcess(registry, { deps, rails, loops });
});
afterAll(() => world.close());

/** Bypasses triggers and foreign keys, as a fault may. */
const plant = (script: string) =>
  world.database.transaction((tx) =>
    tx.runScript(`set local session_replication_role = replica; ${script}`),
  );

const NAME = unnamedStatement("select current_database() as database");

/** Returns the connection to this test's database. */
const connection = async () => ({
  ...inject("storageServer"),
  ...found((await world.database.query<{ database: string }>(NAME))[0]),
});

/** Returns the highest value of a metric's series with these labels; undefined without any. */
async function valueOf(key: MetricKey, labels: Record<string, string> = {}) {
  const samples = await registry.read();
  const { values } = found(samples.find(({ name }) => name === METRICS[key].name)) as unknown as {
    values: { value: number; labels: Record<string, string> }[];
  };
  const matching = values.filter((each) =>
    Object.entries(labels).every(([name, value]) => each.labels[name] === value),
  );
  return matching.length === 0 ? undefined : Math.max(...matching.map(({ value }) => value));
}

/** Reads the gauges of the database, then the value. */
const observed = async (key: MetricKey, labels?: Record<string, string>) => {
  await observe();
  return valueOf(key, labels);
};

/** Returns the causes of the messages that an operator gets now. */
const reported = async () => {
  await observe();
  return (await listOpenAlerts(world.database)).map(({ cause }) => cause);
};

const REFUSALS = [
  new PayoutWaits("the wallet lacks coins", 1),
  new FeeTooHigh("too dear"),
  new SigningRefused("limit", "above the limit"),
];
const refuse = async (refusal: Error): Promise<void> => {
  throw refusal;
};

/** Breaks the cause of each alert, and reads the value that its rule then sees. */
const CAUSES: Readonly<Record<string, () => Promise<void>>> = {
  ExchangeLedgerBreak: async () => {
    expect(await observed("auditBreaks")).toBe(0);
    await plant(
      "insert into audit_breaks (subject, check_name, problem) values ('ledger', 'c', 'p')",
    );
    expect(await observed("auditBreaks")).toBe(1);
  },
  ExchangePayoutsStopped: async () => {
    expect(await observed("payoutStops", { scope: "all" })).toBe(0);
    const stop = { kind: "all", subject: "", reason: "test", setBy: "anna" } as const;
    await putStop(world.database, { ...stop, peopleToResume: 1 });
    expect(await observed("payoutStops", { scope: "all" })).toBe(1);
  },
  // The stop of the case before holds this order's payout.
  ExchangeOrderStuck: async () => {
    const view = await world.order(ORDERS.buyByBank);
    await world.pay(view);
    await world.untilStatus(view, "sending");
    expect(await observed("orderOldest", { status: "sending" })).toBeLessThan(7_200);
    await plant(
      `update orders set updated_at = business_now() - interval '3 hours' where id = ${view.order.id}`,
    );
    expect(await observed("orderOldest", { status: "sending" })).toBeGreaterThan(7_200);
    expect(await reported()).toContain("order_stuck:sending");
    // The chain dropped a payout that completed its order, and no block takes it again.
    expect(await observed("payoutOldest", { state: "not_final" })).toBeUndefined();
    const { id } = (await world.order(ORDERS.buyByBank)).order;
    await plant(`insert into payout_intents select (jsonb_populate_record(intent,
        '{ "id": "6f1c2a34-0000-4000-8000-000000000009", "order_id": "${id}", "state": "confirmed",
          "transaction_hash": "ab", "awaits_finality": true }'
        || jsonb_build_object('released_at', business_now()))).*
      from payout_intents intent where order_id = ${view.order.id}`);
    expect(await reported()).not.toContain("order_stuck:not_final");
    await plant(
      `update orders set updated_at = business_now() - interval '7 hours' where id = ${id}`,
    );
    expect(await observed("payoutOldest", { state: "not_final" })).toBeGreaterThan(21_600);
    expect(await reported()).toContain("order_stuck:not_final");
    const alerts = await listOpenAlerts(world.database);
    const alert = found(alerts.find(({ cause }) => cause === "order_stuck:not_final"));
    expect(alert.summary).toBe(
      `The payout of order ${id} completed it 420 minutes ago, and is in no final block.`,
    );
    await plant(`delete from payout_intents where order_id = ${id}`);
  },
  ExchangePayoutsHeld: async () => {
    await expect.poll(() => observed("payoutsWaiting", { outcome: "wait" })).toBe(1);
    expect(await observed("payoutsWaiting", { outcome: "hold" })).toBe(0);
    // The worker asks again after ten seconds, and writes that the payout waits.
    const held = async () => {
      await plant("update payout_waits set outcome = 'hold'");
      return observed("payoutsWaiting", { outcome: "hold" });
    };
    await expect.poll(held).toBe(1);
  },
  ExchangeOrdersInReview: async () => {
    expect(await reported()).not.toContain("orders_in_review");
    const view = await world.order(ORDERS.sell);
    await world.pay(view, { units: 1n });
    await world.untilStatus(view, "in_review");
    expect(await observed("ordersInReview", { reason: "underpaid" })).toBe(1);
    expect(await reported()).toContain("orders_in_review");
  },
  ExchangePayoutLimitUsed: async () => {
    expect(await observed("limitUsed")).toBeUndefined();
    const none = { payoutCents: null, hourCents: null, approvalAboveCents: null };
    await world.database.transaction((tx) =>
      putPayoutLimits(tx, { ...TOTAL_KEY, ...none, dayCents: 100n }, "anna"),
    );
    await plant("update payout_intents set released_at = business_now(), euro_cents = 95");
    expect(await observed("limitUsed", { window: "day" })).toBe(0.95);
  },
  ExchangeHistoryRestored: async () => {
    expect(await observed("historyRestored")).toBe(0);
    await setRestored(world.database, { why: "test", lastMark: 0n });
    expect(await observed("historyRestored")).toBe(1);
  },
  ExchangeAuditStale: async () => {
    const auditor = startAuditor(world.deps);
    await expect.poll(() => observed("auditPassedAt")).toBeGreaterThan(Date.now() / 1_000 - 60);
    expect(auditor.isAuditor()).toBe(true);
    await auditor.stop();
    expect(await valueOf("auditSeconds")).toBeGreaterThan(0);
    expect(await reported()).not.toContain("audit_stale");
    await plant("update audit_progress set passed_at = clock_timestamp() - interval '11 minutes'");
    expect(await reported()).toContain("audit_stale");
  },
  ExchangeRailsNotCompared: async () => {
    const secondsAgo = async () => Date.now() / 1_000 - Number(await observed("railsComparedAt"));
    expect(await secondsAgo()).toBeLessThan(900);
    expect(await reported()).not.toContain("rails_not_compared");
    await plant(
      "update audit_progress set rails_compared_at = clock_timestamp() - interval '21 minutes'",
    );
    expect(await secondsAgo()).toBeGreaterThan(900);
    expect(await reported()).toContain("rails_not_compared");
  },
  ExchangeFloatLow: async () => {
    const { id: assetId } = found(world.deps.catalogue().currencyByCodeOrReference("btc"));
    const position = { onHand: 3n * 10n ** 8n, promised: 10n ** 8n, outPerDay: 0n };
    const limits = { floor: null, low: null, target: null, ceiling: null };
    const advice = { kind: "nothing" };
    const asset = { assetId, position, frozen: null, limits, advice } as never as object;
    setFloatGauges(world.deps, [{ ...asset, float: "enough" } as never]);
    expect(await valueOf("floatLow", { asset: "btc" })).toBe(0);
    setFloatGauges(world.deps, [{ ...asset, float: "low" } as never]);
    expect(await valueOf("floatLow", { asset: "btc" })).toBe(1);
    // A refill does not reach a frozen account.
    setFloatGauges(world.deps, [{ ...asset, frozen: 5n, float: "below_floor" } as never]);
    expect(await valueOf("floatLow", { asset: "btc" })).toBe(0);
    setFloatGauges(world.deps, [{ ...asset, float: "low" } as never]);
    expect(await valueOf("floatAmount", { asset: "btc" })).toBe(2);
    expect(await reported()).not.toContain("float_low:btc");
    lowFloats.push("btc");
    expect(await reported()).toContain("float_low:btc");
  },
  ExchangeErrorBudgetFastBurn: () => failRequests(),
  ExchangeErrorBudgetSlowBurn: () => failRequests(),
  ExchangeJobsLate: async () => {
    await plant(
      `insert into jobs (kind, key, order_id, merchant_id, run_at, lease_token, leased_until)
       values ('expire_order', 'late', 1, '${MERCHANT_ID}', business_now() - interval '2 minutes',
         gen_random_uuid(), clock_timestamp() + interval '1 hour')`,
    );
    expect(await observed("jobOldest", { kind: "expire_order" })).toBeGreaterThan(60);
    expect(await observed("jobsDue", { kind: "expire_order" })).toBe(1);
  },
  ExchangeJobsFailing: async () => {
    // A job that failed waits for its next try most of its time.
    const plantJob = (attempts: number) =>
      plant(
        `insert into jobs (kind, key, order_id, merchant_id, run_at, attempts)
         values ('capture_payment', 'failing', 7, '${MERCHANT_ID}',
           business_now() + interval '55 seconds', ${attempts})
         on conflict (key) do update set attempts = excluded.attempts`,
      );
    await plantJob(9);
    expect(await observed("jobsFailing")).toBeUndefined();
    await plantJob(10);
    expect(await observed("jobsFailing", { kind: "capture_payment" })).toBe(1);
    expect(await listOpenAlerts(world.database)).toContainEqual(
      expect.objectContaining({
        cause: "jobs_failing:capture_payment",
        summary:
          "Jobs of kind capture_payment fail again and again: 1. The oldest order with one is 7.",
      }),
    );
  },
  ExchangeNoWorker: async () => {
    expect(await valueOf("processInfo", { role: "worker" })).toBeUndefined();
    metrics.processInfo.set({ version: "0", role: "worker" }, 1);
    expect(await valueOf("processInfo", { role: "worker" })).toBe(1);
  },
  ExchangeNoApi: async () => {
    expect(await valueOf("processInfo", { role: "api" })).toBeUndefined();
    metrics.processInfo.set({ version: "0", role: "api" }, 1);
    expect(await valueOf("processInfo", { role: "api" })).toBe(1);
  },
  ExchangeLoopStuck: async () => {
    expect(await valueOf("loopStuck", { loop: "jobs" })).toBe(0);
    hand.turn(1 + LOOP_DEADLINES_MS.jobs / LOOPS_CHECK_MS);
    expect(await valueOf("loopStuck", { loop: "jobs" })).toBe(1);
  },
  ExchangeClockSkew: async () => {
    expect(await valueOf("clockSkew")).toBe(0);
    clockAheadMs = -7_000;
    expect(await valueOf("clockSkew")).toBe(7);
  },
  ExchangeWebhooksLate: async () => {
    expect(await observed("webhookOldest")).toBe(0);
    const endpoint = "6f1c2a34-0000-4000-8000-000000000002";
    await plant(
      `insert into webhook_endpoints (merchant_id, id, url, event_types, secret_sealed)
         values ('${MERCHANT_ID}', '${endpoint}', 'https://shop.example/hook',
           array['OrderCreated'], ''::bytea);
       insert into pending_deliveries (merchant_id, endpoint_id, order_id, sequence, delivery_id,
           event_id, next_attempt_at)
         values ('${MERCHANT_ID}', '${endpoint}', 1, 1, gen_random_uuid(), gen_random_uuid(),
           business_now() - interval '10 minutes')`,
    );
    expect(await observed("webhookOldest")).toBeGreaterThan(300);
    // Retries of an endpoint that fails are late on purpose.
    await plant("update webhook_endpoints set first_failure_at = business_now()");
    expect(await observed("webhookOldest")).toBe(0);
    expect(await observed("webhookEndpoints", { state: "failing" })).toBe(1);
  },
  ExchangeEndpointDisabled: async () => {
    const plantEndpoint = (id: string, reason: string) =>
      plant(
        `insert into webhook_endpoints (merchant_id, id, url, event_types, secret_sealed, state,
             disabled_at, disabled_reason)
           values ('${MERCHANT_ID}', '${id}', 'https://shop.example:8443/hook?key=private',
             array['OrderCreated'], ''::bytea, 'disabled', business_now(), '${reason}')`,
      );
    await plantEndpoint("6f1c2a34-0000-4000-8000-000000000003", "merchant");
    expect(await observed("alertsOpen", { cause: "endpoint_disabled" })).toBe(0);
    const idOf = (index: number) =>
      `6f1c2a34-0000-4000-8000-0000000000${String(index).padStart(2, "0")}`;
    await plantEndpoint(idOf(10), "failing");
    expect(await observed("alertsOpen", { cause: "endpoint_disabled" })).toBe(1);
    expect(await listOpenAlerts(world.database)).toContainEqual(
      expect.objectContaining({
        cause: `endpoint_disabled:${idOf(10)}`,
        summary: `The webhook endpoint ${idOf(10)} of merchant ${MERCHANT_ID} at shop.example:8443 was disabled, because it failed for five days.`,
      }),
    );
    // The first twenty have a message each. Later ones end none of them.
    for (let index = 11; index <= 31; index += 1) await plantEndpoint(idOf(index), "gone");
    expect(await observed("alertsOpen", { cause: "endpoint_disabled" })).toBe(20);
    const named = (await reported()).filter((cause) => cause.startsWith("endpoint_disabled"));
    expect(named).toContain(`endpoint_disabled:${idOf(10)}`);
    expect(named).not.toContain(`endpoint_disabled:${idOf(31)}`);
  },
  ExchangeDatabaseAway: async () => {
    expect(await valueOf("databaseUp")).toBe(1);
    const away = () => new DatabaseUnavailable("The database does not answer.");
    broken = { database: { ...world.database, away } };
    expect(await valueOf("databaseUp")).toBe(0);
    broken = {};
  },
  ExchangeDatabaseFull: async () => {
    const report = reportDatabase(world.deps.log, metrics);
    // The alert is an increase, so the counter is there before the first failure.
    expect(await valueOf("databaseErrors", { class: "full" })).toBe(0);
    const database = openDatabase(await connection(), report);
    const fails = (code: string) =>
      database.query(
        unnamedStatement(`do $$ begin raise exception using errcode = '${code}'; end $$`),
      );
    await expect(fails("53100")).rejects.toThrow();
    await expect(fails("23505")).rejects.toThrow();
    expect(await valueOf("databaseErrors", { class: "full" })).toBe(1);
    expect(await valueOf("databaseErrors", { class: "refused" })).toBe(1);
    await database.close();
  },
  ExchangePoolExhausted: async () => {
    const options = { ...(await connection()), poolSize: 1 };
    const database = openDatabase(options);
    broken = { database };
    let end: () => void = () => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const holding = database.transaction(() => isOver);
    await expect.poll(() => valueOf("databaseConnections", { state: "busy" })).toBe(1);
    const waiting = database.transaction((tx) => tx.query(NAME));
    await expect.poll(() => valueOf("databaseConnections", { state: "waiting" })).toBe(1);
    end();
    await Promise.all([holding, waiting]);
    expect(await valueOf("databaseConnections", { state: "waiting" })).toBe(0);
    broken = {};
    await database.close();
  },
  ExchangeCredentialsRefused: async () => {
    const app = buildHttpServer(world.deps, { version: "0.0.0", rateLimits: GENEROUS });
    await app.inject({ url: "/v1/orders", headers: { "x-api-key": "wrong", "x-client-id": "x" } });
    expect(await valueOf("securityEvents", { event: "unauthorized" })).toBe(1);
    expect(await valueOf("refusals", { route: "/v1/orders", code: "UNAUTHORIZED" })).toBe(1);
    await app.close();
  },
  ExchangeRailDown: async () => {
    let isBroken = true;
    const answer = async () => {
      if (isBroken) throw new Error("no answer");
      return [];
    };
    const meter = { name: "bank", metrics, states: rails } as const;
    const bank = found(meterRail({ depositsTo: answer, statement: async () => [] }, meter));
    await expect(bank.depositsTo()).rejects.toThrow("no answer");
    expect(await valueOf("railUp", { rail: "bank" })).toBe(0);
    expect(await valueOf("railErrors", { rail: "bank", call: "depositsTo" })).toBe(1);
    // Another call that works says nothing about this one.
    await bank.statement();
    expect(await valueOf("railUp", { rail: "bank" })).toBe(0);
    isBroken = false;
    await bank.depositsTo();
    expect(await valueOf("railUp", { rail: "bank" })).toBe(1);
    // A rail that says no works.
    const chain = found(meterRail({ sign: refuse }, { ...meter, name: "chain" }));
    for (const refusal of REFUSALS) {
      await expect(chain.sign(refusal)).rejects.toBe(refusal);
      expect(await valueOf("railUp", { rail: "chain" })).toBe(1);
    }
    expect(await valueOf("railErrors", { rail: "chain" })).toBeUndefined();
  },
  ExchangeNetworkStuck: async () => {
    const cursor = (problem: string) =>
      `insert into chain_cursors (network_code, height, hash, final_height, problem)
       values ('bitcoin', 1, 'x', 1, ${problem})
       on conflict (network_code) do update set problem = excluded.problem`;
    await plant(cursor("null"));
    expect(await observed("networkUp", { network: "bitcoin" })).toBe(1);
    await plant(cursor("'its endpoints do not agree'"));
    expect(await observed("networkUp", { network: "bitcoin" })).toBe(0);
  },
  ExchangePricesMissing: async () => {
    expect(await valueOf("pricesUp")).toBe(1);
    expect(await valueOf("priceAge", { currency: "BTC" })).toBeLessThan(60);
    const health = () => [{ source: "sandbox", state: "stale", why: "no answer" }] as const;
    broken = { rates: { ...found(world.deps.rates), health } satisfies RateSource };
    expect(await valueOf("pricesUp")).toBe(0);
    expect(await valueOf("priceSourceUp", { source: "sandbox" })).toBe(0);
    broken = {};
  },
};

async function failRequests(): Promise<void> {
  const app = buildHttpServer(world.deps, { version: "0.0.0", rateLimits: GENEROUS });
  app.get("/fails", () => Promise.reject(new Error("a fault")));
  const before = (await valueOf("requests", { code: "500" })) ?? 0;
  await app.inject({ url: "/fails" });
  await app.close();
  expect(await valueOf("requests", { route: "/fails", code: "500" })).toBe(before + 1);
  expect(await valueOf("requestsInFlight")).toBe(0);
}

const RULES = new URL("../../../../deploy/prometheus/rules.yml", import.meta.url);
const ALERTS = [...readFileSync(RULES, "utf8").matchAll(/alert: (\w+)/g)].map(
  ([, name = ""]) => name,
);

test("each alert of the rules has its cause here", () => {
  expect(Object.keys(CAUSES).sort()).toEqual([...ALERTS].sort());
});

test.each(Object.keys(CAUSES))("%s: when its cause breaks, its metric moves", async (name) => {
  await found(CAUSES[name])();
});
