import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  hasPrometheus,
  type Prometheus,
  startPrometheus,
} from "../support/monitoring/prometheus.ts";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buy,
  buyChoice,
  CARDS,
  type PlacedOrder,
  payByCard,
  placeOrder,
  readOrder,
  SANCTIONED_ADDRESS,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { type Proxy, startProxy } from "../support/postgres/proxy.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const FAKETIME = process.env["FAKETIME_PATH"] ?? "";
const canRun = hasPrometheus && existsSync(FAKETIME);
if (!canRun) console.warn("THE TEST OF THE ALERTS IS SKIPPED: it needs Prometheus and libfaketime");

/** Alerts that no fault from outside raises, each with the test that moves its metric. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  // A job that fails for minutes is a defect of ours, or a rail that is down.
  ExchangeJobsFailing: "apps/server/src/start/alerts-fire.storage.test.ts",
  // A loop that hangs within a process is a defect of ours.
  ExchangeLoopStuck: "apps/server/src/start/alerts-fire.storage.test.ts",
  // A live network that takes final blocks back.
  ExchangeNetworkStuck: "apps/server/src/start/alerts-fire.storage.test.ts",
};
const DEAD_VENUES = {
  kind: "market",
  venues: ["kraken", "coinbase"].map((kind) => ({ kind, url: "http://127.0.0.1:1" })),
};

describe.runIf(canRun)(
  "the shipped rules, whose waits are cut to a second, over real processes",
  () => {
    const servers: DatabaseServer[] = [];
    const ports: number[] = [];
    let prometheus: Prometheus;
    let main: DatabaseServer;
    let rails: DatabaseServer;
    let wayToMain: Proxy;
    let wayToRails: Proxy;
    let api: StartedService;
    let worker: StartedService;
    let wrong: StartedService | undefined;
    let receiver: Receiver;
    let merchant: Merchant;
    let choice: BuyChoice;
    let order: PlacedOrder;

    beforeAll(async () => {
      for (let count = 0; count < 2; count += 1) servers.push(await startDatabaseServer());
      for (let count = 0; count < 3; count += 1) ports.push(await freePort());
      [main, rails] = servers as [DatabaseServer, DatabaseServer];
      [wayToMain, wayToRails] = [await startProxy(main.url), await startProxy(rails.url)];
      // No limit of connections holds for a superuser.
      await main.run("create role shop login");
      await main.run("alter database postgres owner to shop");
      api = await startService({ env: settings("api", 0) });
      worker = await startService({ dataDir: api.dataDir, env: settings("worker", 1) });
      const rules = (text: string) =>
        text
          .replaceAll(/for: \d+[mh]/g, "for: 1s")
          // The audit passes every two seconds.
          .replace(
            "audit_last_pass_timestamp_seconds) > 300",
            "audit_last_pass_timestamp_seconds) > 20",
          )
          .replace(
            "rails_compared_timestamp_seconds) > 900",
            "rails_compared_timestamp_seconds) > 40",
          );
      receiver = await startReceiver();
      merchant = await createMerchant(api);
      await addWebhook(api, merchant, receiver);
      choice = await buyChoice(api, merchant);
      order = await buy(api, merchant, choice);
      prometheus = await startPrometheus({ ports, rules });
    });
    afterAll(async () => {
      await prometheus?.stop();
      await wrong?.stop();
      await worker?.stop();
      await api?.discard();
      await receiver?.close();
      for (const each of [wayToMain, wayToRails, ...servers]) await each?.stop();
    });

    const settings = (role: "api" | "worker", place: number) => ({
      DATABASE_URL: (role === "api" ? wayToMain.url : main.url).replace(/\/\/[^@]*@/, "//shop@"),
      EXCHANGE_SANDBOX_DATABASE_URL: wayToRails.url,
      EXCHANGE_ROLE: role,
      EXCHANGE_HEALTH_PORT: String(ports[place]),
      EXCHANGE_DATABASE_CONNECTIONS: "4",
      EXCHANGE_RATE_FACTOR: "10000",
      SHOP_PORT: "0",
    });
    const operator = (...words: string[]) => exchangeHere(worker, ...words, "--as", "anna");
    const advance = (seconds: number) => operator("clock", "advance", String(seconds));
    const pay = async () => {
      const placed = await startOrder(api, merchant, choice);
      await payByCard(placed.customer, placed.orderId, CARDS.visa);
    };
    const get = (from: string, headers = merchant.headers) =>
      fetch(`${from}/v1/orders`, { headers }).then((answer) => answer.status);
    const isReadyAgain = () =>
      expect.poll(async () => (await fetch(`${api.url}/readyz`)).status).toBe(200);
    const isFiring = async (name: string) => (await prometheus.firing()).includes(name);
    /** Waits until the alert fires. Repeats a step meanwhile. */
    const untilFiring = async (name: string, step: () => Promise<unknown> = async () => {}) =>
      expect
        .poll(async () => (await step(), isFiring(name)), {
          timeout: 120_000,
          interval: 500,
          message: name,
        })
        .toBe(true);

    /** Another client of the database holds tables until the work is done. */
    const locked = async (tables: string, work: () => Promise<void>) => {
      let isOver = false;
      const lock = `lock table ${tables} in access exclusive mode; perform pg_sleep(25);`;
      const hold = async () => {
        while (!isOver) await main.run(`do $$ begin ${lock} end $$`).catch(() => {});
      };
      const holding = hold();
      await work().finally(() => {
        isOver = true;
        return main.run(
          "select pg_cancel_backend(pid) from pg_stat_activity where query like 'do %lock table%'",
        );
      });
      await holding;
    };

    /** Breaks the cause of each alert, in this order: some causes cannot be mended. */
    const CAUSES: Readonly<Record<string, () => Promise<void>>> = {
      ExchangeCredentialsRefused: () => {
        const guess = { ...merchant.headers, "x-api-key": "guess" };
        const guessOften = () => Promise.all(Array.from({ length: 50 }, () => get(api.url, guess)));
        return untilFiring("ExchangeCredentialsRefused", guessOften);
      },
      ExchangeDatabaseAway: async () => {
        wayToMain.become("refuse");
        await untilFiring("ExchangeDatabaseAway");
      },
      ExchangeErrorBudgetFastBurn: () =>
        untilFiring("ExchangeErrorBudgetFastBurn", () => get(api.url)),
      ExchangeErrorBudgetSlowBurn: async () => {
        await untilFiring("ExchangeErrorBudgetSlowBurn", () => get(api.url));
        wayToMain.become("pass");
        await isReadyAgain();
      },
      ExchangeOrdersInReview: async () => {
        const customer = await startSession(api, merchant);
        const { quoteId } = await takeQuote(customer, choice);
        const placed = await placeOrder(customer, quoteId, { walletAddress: SANCTIONED_ADDRESS });
        await payByCard(customer, placed.body.data.orderId, CARDS.visa);
        await untilFiring("ExchangeOrdersInReview");
      },
      ExchangeFloatLow: async () => {
        await operator("treasury", "set", "--currency", "btc", "--low", "1");
        await untilFiring("ExchangeFloatLow");
        await operator("treasury", "set", "--currency", "btc", "--low", "none");
      },
      ExchangePayoutsHeld: async () => {
        await operator("payouts", "limits", "--approval-above", "1");
        await pay();
        await untilFiring("ExchangePayoutsHeld");
        await operator("payouts", "limits", "--remove");
      },
      ExchangePayoutLimitUsed: async () => {
        // The first order's 100 CAD are some 65 euro.
        await operator("payouts", "limits", "--total", "--day", "60");
        await untilFiring("ExchangePayoutLimitUsed");
        await operator("payouts", "limits", "--total", "--remove");
      },
      ExchangePayoutsStopped: async () => {
        await operator("payouts", "stop", "--all", "--reason", "a test");
        await untilFiring("ExchangePayoutsStopped");
      },
      ExchangeOrderStuck: async () => {
        await pay();
        await untilFiring("ExchangeOrderStuck", () => advance(1_800));
        for (const person of ["anna", "ben"]) {
          await exchangeHere(worker, "payouts", "resume", "--all", "--as", person);
        }
      },
      ExchangeRailDown: async () => {
        wayToRails.become("swallow");
        await pay();
        await untilFiring("ExchangeRailDown");
      },
      // The audit asks the same rails for their statements.
      ExchangeRailsNotCompared: () => untilFiring("ExchangeRailsNotCompared"),
      ExchangeJobsLate: async () => {
        await untilFiring("ExchangeJobsLate", () => advance(120));
        wayToRails.become("pass");
        const areFiring = async () => {
          // A rail is up again when a call to it succeeds.
          await pay().catch(() => {});
          return (await isFiring("ExchangeRailDown")) || (await isFiring("ExchangeJobsLate"));
        };
        await expect.poll(areFiring, { timeout: 170_000, interval: 2_000 }).toBe(false);
      },
      // A transaction that somebody forgot.
      ExchangeAuditStale: () => locked("audit_progress", () => untilFiring("ExchangeAuditStale")),
      ExchangePoolExhausted: async () => {
        const calls = [
          () => readOrder(order.customer, order.orderId),
          () => startSession(api, merchant),
          ...[
            "/v1/orders",
            `/v1/orders/${order.orderId}`,
            "/v1/events",
            "/v1/webhook_deliveries",
          ].map((list) => () => fetch(api.url + list, { headers: merchant.headers })),
        ];
        const callAll = async () =>
          void calls.flatMap((call) => [1, 2, 3].map(() => call().catch(() => {})));
        await locked("orders, sessions, events, deliveries", () =>
          untilFiring("ExchangePoolExhausted", callAll),
        );
      },
      ExchangeDatabaseFull: async () => {
        await main.run("alter role shop connection limit 1");
        // The pools have to open their connections again.
        const backends = "select pg_terminate_backend(pid) from pg_stat_activity";
        await main.run(`${backends} where usename = 'shop'`);
        const many = () => Promise.all(Array.from({ length: 20 }, () => pay().catch(() => {})));
        await untilFiring("ExchangeDatabaseFull", many);
        await main.run("alter role shop connection limit -1");
      },
      ExchangeLedgerBreak: async () => {
        await rails.run(
          "insert into sandbox.card_captures (reference, currency, amount) values ('stray', 'CAD', 100)",
        );
        await untilFiring("ExchangeLedgerBreak");
      },
      // A failover that loses what was committed.
      ExchangeHistoryRestored: async () => {
        await main.run("update history set mark = 1");
        await untilFiring("ExchangeHistoryRestored");
      },
      // Webhooks are held while a restored database waits to be reconciled.
      ExchangeWebhooksLate: async () => {
        await startOrder(api, merchant, choice);
        await untilFiring("ExchangeWebhooksLate", () => advance(150));
      },
      ExchangeClockSkew: async () => {
        const clock = { LD_PRELOAD: FAKETIME, FAKETIME: "+20", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
        wrong = await startService({
          dataDir: api.dataDir,
          env: { ...settings("api", 2), ...clock },
        });
        await untilFiring("ExchangeClockSkew");
        await wrong.stop();
      },
      ExchangePricesMissing: async () => {
        const file = path.join(api.dataDir, "rails.json");
        await writeFile(file, JSON.stringify({ prices: DEAD_VENUES }));
        const env = { ...settings("api", 2), EXCHANGE_RAILS_FILE: file };
        wrong = await startService({ dataDir: api.dataDir, env });
        await untilFiring("ExchangePricesMissing");
      },
      ExchangeNoWorker: async () => {
        await worker.stop();
        await untilFiring("ExchangeNoWorker");
      },
      ExchangeNoApi: async () => {
        await wrong?.stop();
        await api.stop();
        await untilFiring("ExchangeNoApi");
      },
    };

    test("each alert of the rules has its cause here, or names the test that has", async () => {
      const rules = await readFile(path.join(ROOT, "deploy/prometheus/rules.yml"), "utf8");
      const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
      expect([...Object.keys(CAUSES), ...Object.keys(ELSEWHERE)].toSorted()).toEqual(
        alerts.toSorted(),
      );
      for (const file of Object.values(ELSEWHERE))
        expect(existsSync(path.join(ROOT, file))).toBe(true);
    });

    test.each(Object.keys(CAUSES))(
      "%s fires when its cause breaks, and not before",
      async (name) => {
        // One fault raises both alerts of the error budget, and a rail that fails raises the two after its own.
        // A machine that stalled raises some alerts for a moment.
        const follow = ["ErrorBudgetSlowBurn", "RailsNotCompared", "JobsLate"];
        if (!follow.includes(name.replace("Exchange", "")))
          await expect.poll(() => prometheus.firing()).not.toContain(name);
        await CAUSES[name]?.();
      },
      300_000,
    );
  },
);
