import { METRICS } from "../metrics/table.ts";

interface Panel {
  readonly title: string;
  readonly kind?: "stat" | "timeseries";
  /** Grafana's name of the unit. */
  readonly unit?: string;
  /** The colour of a figure above 0. Without one every figure is green. */
  readonly above?: "orange" | "red";
  /** PromQL, and the legend of its series. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const { name: requests } = METRICS.requests;
const most = (metric: { readonly name: string }, by: string): string =>
  `max by (${by}) (${metric.name})`;
const rate = (metric: { readonly name: string }, by: string): string =>
  `sum by (${by}) (rate(${metric.name}[5m]))`;
const percentile = (share: number, metric: { readonly name: string }, by = ""): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric.name}_bucket[5m])))`;
const errorRatio = (window: string): string =>
  `(sum(rate(${requests}{code=~"5.."}[${window}])) or vector(0)) / sum(rate(${requests}[${window}]))`;

const ROWS: readonly Row[] = [
  {
    title: "Money",
    panels: [
      {
        title: "Breaks and stops",
        kind: "stat",
        above: "red",
        queries: [
          [`max(${METRICS.auditBreaks.name})`, "breaks"],
          [`sum(${most(METRICS.payoutStops, "scope")})`, "stops"],
          [`max(${METRICS.historyRestored.name})`, "restored"],
        ],
      },
      {
        title: "Waits for a person",
        kind: "stat",
        above: "orange",
        queries: [
          [most(METRICS.payoutsWaiting, "outcome"), "payouts: {{outcome}}"],
          [most(METRICS.ordersInReview, "reason"), "review: {{reason}}"],
        ],
      },
      {
        title: "Oldest order by status",
        unit: "s",
        queries: [[most(METRICS.orderOldest, "status"), "{{status}}"]],
      },
      {
        title: "Oldest payout",
        unit: "s",
        queries: [[most(METRICS.payoutOldest, "rail, state"), "{{rail}} {{state}}"]],
      },
      {
        title: "Payout limits used",
        unit: "percentunit",
        queries: [[most(METRICS.limitUsed, "window"), "{{window}}"]],
      },
      { title: "Float", queries: [[most(METRICS.floatAmount, "asset"), "{{asset}}"]] },
    ],
  },
  {
    title: "Funnel",
    panels: [
      {
        title: "Orders placed",
        unit: "ops",
        queries: [[rate(METRICS.ordersPlaced, "operation"), "{{operation}}"]],
      },
      {
        title: "Orders moved",
        unit: "ops",
        queries: [[rate(METRICS.orderMoves, "to"), "to {{to}}"]],
      },
      {
        title: "Time from placed (p50)",
        unit: "s",
        queries: [[percentile(0.5, METRICS.orderSeconds, "status"), "to {{status}}"]],
      },
      {
        title: "Payout owed to signed (p99)",
        unit: "s",
        queries: [[percentile(0.99, METRICS.payoutSigningSeconds, "rail"), "{{rail}}"]],
      },
      {
        title: "Open orders",
        queries: [
          [`sum by (status) (${most(METRICS.ordersOpen, "status, operation")})`, "{{status}}"],
        ],
      },
      {
        title: "Refusals by code",
        unit: "ops",
        queries: [[rate(METRICS.refusals, "code"), "{{code}}"]],
      },
    ],
  },
  {
    title: "Requests",
    panels: [
      { title: "Requests", unit: "reqps", queries: [[rate(METRICS.requests, "code"), "{{code}}"]] },
      {
        title: "Errors of ours",
        unit: "percentunit",
        queries: [
          [errorRatio("5m"), "5 minutes"],
          [errorRatio("1h"), "1 hour"],
        ],
      },
      {
        title: "Answer time",
        unit: "s",
        queries: [
          [percentile(0.5, METRICS.requestSeconds), "p50"],
          [percentile(0.99, METRICS.requestSeconds), "p99"],
        ],
      },
      {
        title: "Slowest routes (p99)",
        unit: "s",
        queries: [[`topk(8, ${percentile(0.99, METRICS.requestSeconds, "route")})`, "{{route}}"]],
      },
      {
        title: "In flight",
        queries: [
          [`sum(${METRICS.requestsInFlight.name})`, "requests"],
          [`sum(${METRICS.eventStreams.name})`, "event streams"],
        ],
      },
      {
        title: "Security events",
        unit: "ops",
        queries: [[rate(METRICS.securityEvents, "event"), "{{event}}"]],
      },
    ],
  },
  {
    title: "Behind",
    panels: [
      { title: "Jobs due", queries: [[most(METRICS.jobsDue, "kind"), "{{kind}}"]] },
      {
        title: "Most overdue job",
        unit: "s",
        queries: [[most(METRICS.jobOldest, "kind"), "{{kind}}"]],
      },
      {
        title: "Jobs",
        unit: "ops",
        queries: [[rate(METRICS.jobs, "kind, outcome"), "{{kind}} {{outcome}}"]],
      },
      {
        title: "Webhooks",
        queries: [
          [`max(${METRICS.webhooksPending.name})`, "pending"],
          [`max(${METRICS.webhookOldest.name})`, "seconds late"],
        ],
      },
      {
        title: "Webhook attempts",
        unit: "ops",
        queries: [[rate(METRICS.webhookAttempts, "outcome"), "{{outcome}}"]],
      },
      {
        title: "Rails and prices",
        queries: [
          [`min by (rail) (${METRICS.railUp.name})`, "{{rail}}"],
          [`min by (network) (${METRICS.networkUp.name})`, "{{network}}"],
          [`min(${METRICS.pricesUp.name})`, "prices"],
        ],
      },
      {
        title: "Calls to rails (p99)",
        unit: "s",
        queries: [[percentile(0.99, METRICS.railSeconds, "rail"), "{{rail}}"]],
      },
      {
        title: "Since the last audit",
        unit: "s",
        queries: [
          [`time() - max(${METRICS.auditPassedAt.name})`, "pass"],
          [`time() - max(${METRICS.railsComparedAt.name})`, "rails compared"],
        ],
      },
    ],
  },
  {
    title: "Machine",
    panels: [
      {
        title: "Database connections",
        queries: [[`sum by (state) (${METRICS.databaseConnections.name})`, "{{state}}"]],
      },
      {
        title: "Database errors",
        unit: "ops",
        queries: [[rate(METRICS.databaseErrors, "class"), "{{class}}"]],
      },
      {
        title: "Event loop lag (p99)",
        unit: "s",
        queries: [["max by (instance) (nodejs_eventloop_lag_p99_seconds)", "{{instance}}"]],
      },
      {
        title: "Memory",
        unit: "bytes",
        queries: [["sum by (instance) (process_resident_memory_bytes)", "{{instance}}"]],
      },
      {
        title: "Processor",
        unit: "percentunit",
        queries: [["sum by (instance) (rate(process_cpu_seconds_total[5m]))", "{{instance}}"]],
      },
      {
        title: "Processes",
        kind: "stat",
        queries: [[`sum by (role, version) (${METRICS.processInfo.name})`, "{{role}} {{version}}"]],
      },
    ],
  },
];

/** Grafana's grid has 24 columns. */
const COLUMNS = 24;
const WIDTH = 8;
const HEIGHT = 8;
const SOURCE = { type: "prometheus", uid: "${source}" };

/** Returns the dashboard as Grafana imports it. */
export function makeDashboard() {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of ROWS) {
    const id = panels.length + 1;
    panels.push({
      id,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    for (const [at, panel] of own.entries()) {
      const x = (at * WIDTH) % COLUMNS;
      const top = y + Math.floor((at * WIDTH) / COLUMNS) * HEIGHT;
      const gridPos = { x, y: top, w: WIDTH, h: HEIGHT };
      panels.push({ id: panels.length + 1, gridPos, ...toGrafana(panel) });
    }
    y += Math.ceil((own.length * WIDTH) / COLUMNS) * HEIGHT;
  }
  return {
    title: "Exchange",
    uid: "exchange",
    tags: ["exchange"],
    schemaVersion: 39,
    editable: true,
    refresh: "10s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Data source", type: "datasource", query: "prometheus" }],
    },
    panels,
  };
}

const thresholds = (above: string): object => ({
  mode: "absolute",
  steps: [
    { color: "green", value: null },
    { color: above, value: 1 },
  ],
});

const toGrafana = ({
  title,
  kind = "timeseries",
  unit = "short",
  above,
  queries,
}: Panel): object => ({
  type: kind,
  title,
  datasource: SOURCE,
  fieldConfig: {
    defaults: { unit, min: 0, ...(above && { thresholds: thresholds(above) }) },
    overrides: [],
  },
  options:
    kind === "stat"
      ? { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "value" }
      : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
  targets: queries.map(([expr, legendFormat], at) => ({
    refId: String.fromCharCode("A".charCodeAt(0) + at),
    datasource: SOURCE,
    expr,
    legendFormat,
  })),
});

/** Returns every query of the dashboard. */
export const listQueries = (): readonly string[] =>
  ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([query]) => query)));
