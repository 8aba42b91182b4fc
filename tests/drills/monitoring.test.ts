import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  hasPrometheus,
  type Prometheus,
  startPrometheus,
} from "../support/monitoring/prometheus.ts";
import {
  addWebhook,
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import { buy, buyChoice, CARDS, payByCard, startOrder } from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

if (!hasPrometheus) console.warn("THE TEST OF THE DASHBOARD IS SKIPPED: it needs Prometheus");

/** Queries that may have no series in a healthy sandbox, each with the reason. All others must have one. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  "Payout limits used: {{window}}": "no limit of all currencies is set",
  "Float: {{asset}}": "no rails file names an asset with a bounded stock",
  "Rails and prices: {{network}}": "no rails file names a live network",
  "Waits for a person: review: {{reason}}": "no order waits for a person",
  "Jobs due: {{kind}}": "no job was due at the moment of an audit",
  "Most overdue job: {{kind}}": "no job was due at the moment of an audit",
};

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}
describe.runIf(hasPrometheus)(
  "Prometheus with the shipped configuration, over a busy service",
  () => {
    const since = Date.now() / 1000;
    let service: StartedService;
    let prometheus: Prometheus;
    let receiver: Receiver;
    let merchant: Merchant;
    const seriesOf = (query: string) => prometheus.seriesSince(since, query);

    beforeAll(async () => {
      const healthPort = await freePort();
      receiver = await startReceiver();
      service = await startService({ env: { EXCHANGE_HEALTH_PORT: String(healthPort) } });
      prometheus = await startPrometheus({ ports: [healthPort] });
      merchant = await createMerchant(service);
      await addWebhook(service, merchant, receiver);
      const choice = await buyChoice(service, merchant);
      const buySome = () =>
        Promise.all(Array.from({ length: 4 }, () => buy(service, merchant, choice)));
      await buySome();
      // A percentile is of an increase, so Prometheus reads the histograms once before the rest is bought.
      const completed = 'exchange_order_stage_seconds_count{status="completed"}';
      const isRead = async () => (await seriesOf(completed)).length > 0;
      await vi.waitUntil(isRead, { timeout: 60_000, interval: 200 });
      await buySome();
      // Its payout waits for the stop, so an order and a payout are open.
      const stop = ["payouts", "stop", "--all", "--reason", "a test", "--as", "anna"];
      await exchangeHere(service, ...stop);
      const { customer, orderId } = await startOrder(service, merchant, choice);
      await payByCard(customer, orderId, CARDS.visa);
      const stranger = { ...merchant, headers: { ...merchant.headers, "x-api-key": "wrong" } };
      expect((await createToken(service, stranger, { sessionId: newSessionId() })).status).toBe(
        401,
      );
    });
    afterAll(async () => {
      await prometheus?.stop();
      await service?.discard();
      await receiver?.close();
    });

    test("every panel of the dashboard shows something, but those that have nothing to show", async () => {
      const dashboard = JSON.parse(
        await readFile(path.join(ROOT, "deploy/grafana/exchange.json"), "utf8"),
      ) as { panels: { title: string; targets?: readonly Target[] }[] };
      const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr, legendFormat }) => [`${title}: ${legendFormat}`, expr] as const),
      );
      expect(queries.length).toBeGreaterThan(30);
      const names = queries.map(([name]) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(MAY_BE_EMPTY)));
      const wanted = queries.filter(([name]) => !(name in MAY_BE_EMPTY));
      await expect
        .poll(
          async () => {
            const found = await Promise.all(
              wanted.map(async ([name, expr]) => ({ name, series: await seriesOf(expr) })),
            );
            return found.filter(({ series }) => series.length === 0).map(({ name }) => name);
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toEqual([]);
      // Prometheus reads the others too.
      for (const [, expr] of queries) await seriesOf(expr);
    });

    test("every rule is evaluated, and no alert is raised while all is well", async () => {
      const isEvaluated = async () =>
        (await prometheus.rules()).every(({ health }) => health !== "unknown");
      await vi.waitUntil(isEvaluated, { timeout: 60_000, interval: 200 });
      const rules = await prometheus.rules();
      expect(rules.length).toBeGreaterThan(20);
      expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
      expect(await prometheus.firing()).toEqual([]);
    });
  },
);
