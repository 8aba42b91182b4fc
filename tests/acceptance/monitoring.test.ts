import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  addWebhook,
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import { buy, buyChoice, CARDS, payByCard, startOrder } from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { freePort, type Running, run } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

/** Prometheus itself is in the package of promtool. */
const PROMETHEUS = path.join(path.dirname(process.env["PROMTOOL_PATH"] ?? ""), "prometheus");
const canRun = existsSync(PROMETHEUS);
if (!canRun) console.warn("THE TEST OF THE DASHBOARD IS SKIPPED: it needs Prometheus");

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
interface Answer {
  readonly status: string;
  readonly data: {
    readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[];
  };
}
interface Rules {
  readonly data: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}
interface Rule {
  readonly name: string;
  readonly type: string;
  readonly query: string;
  readonly health: string;
  readonly state?: string;
}

describe.runIf(canRun)("Prometheus with the shipped configuration, over a busy service", () => {
  const since = Date.now() / 1000;
  let folder: string;
  let service: StartedService;
  let prometheus: Running;
  let receiver: Receiver;
  let merchant: Merchant;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "exchange-prometheus-"));
    const healthPort = await freePort();
    receiver = await startReceiver();
    service = await startService({ env: { EXCHANGE_HEALTH_PORT: String(healthPort) } });
    await startPrometheus(healthPort);
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
    expect((await createToken(service, stranger, { sessionId: newSessionId() })).status).toBe(401);
  });
  afterAll(async () => {
    prometheus?.signal("SIGTERM");
    await prometheus?.exited;
    await service?.discard();
    await receiver?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts it on the shipped files. They scrape a port that may be taken, at a pace for days. */
  async function startPrometheus(healthPort: number): Promise<void> {
    await cp(path.join(ROOT, "deploy/prometheus"), folder, { recursive: true });
    const file = path.join(folder, "prometheus.yml");
    const shipped = await readFile(file, "utf8");
    const changed = shipped
      .replace("localhost:9464", `localhost:${healthPort}`)
      .replaceAll(/interval: 10s/g, "interval: 1s");
    await writeFile(file, changed);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v1`;
    const options = ["--web.listen-address", `127.0.0.1:${port}`, "--log.level=warn"];
    const storage = ["--config.file", file, "--storage.tsdb.path", path.join(folder, "data")];
    prometheus = run([PROMETHEUS, ...storage, ...options], { cwd: folder, env: process.env });
    const isReady = () => fetch(`${url}/status/runtimeinfo`).then((reply) => reply.ok);
    await vi.waitUntil(() => isReady().catch(() => false), { timeout: 60_000, interval: 100 });
  }

  /** Returns the series that a graph of the whole run shows. */
  async function seriesOf(query: string): Promise<Answer["data"]["result"]> {
    const end = String(Date.now() / 1000);
    const parameters = new URLSearchParams({ query, start: String(since), end, step: "1" });
    const answer = (await (await fetch(`${url}/query_range?${parameters}`)).json()) as Answer;
    if (answer.status !== "success") throw new Error(`${query}: ${JSON.stringify(answer)}`);
    const isNumber = ([, value]: readonly [number, string]) => value !== "NaN";
    return answer.data.result.filter(({ values }) => values.some(isNumber));
  }

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
    const read = async () =>
      ((await (await fetch(`${url}/rules`)).json()) as Rules).data.groups.flatMap(
        ({ rules }) => rules,
      );
    const isEvaluated = async () => (await read()).every(({ health }) => health !== "unknown");
    await vi.waitUntil(isEvaluated, { timeout: 60_000, interval: 200 });
    const rules = await read();
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    expect(rules.filter(({ state }) => state === "firing").map(({ name }) => name)).toEqual([]);
  });
});
