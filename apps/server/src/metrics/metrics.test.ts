import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { combine, makeMetrics } from "./metrics.ts";
import { METRICS } from "./table.ts";

const HEAD = `# Metrics

\`GET /metrics\` on \`EXCHANGE_HEALTH_PORT\` has these metrics ([monitoring](../operating/monitoring.md)), and those of the process that its library
measures: \`process_*\` and \`nodejs_*\`, such as \`nodejs_eventloop_lag_p99_seconds\`. Processes of one service are combined: counters and plain
gauges are added, and of a gauge that means the same in each the highest counts, or the lowest where 0 means broken. This page is generated
from \`apps/server/src/metrics/table.ts\`.

| Metric | Kind | Labels | Meaning |
|---|---|---|---|
`;

/** Returns the text of docs/reference/metrics.md. */
function describeMetrics(): string {
  const rows = Object.values(METRICS).map(({ name, kind, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${kind} | ${names} | ${help} |`;
  });
  return `${HEAD}${rows.join("\n")}\n`;
}

// After a change of the table: npm test -- --project unit metrics.test -u
test("docs/reference/metrics.md is what the table of metrics says", async () => {
  const page = new URL("../../../../docs/reference/metrics.md", import.meta.url);
  await expect(describeMetrics()).toMatchFileSnapshot(fileURLToPath(page));
});

test("names follow Prometheus, and no label can hold a merchant, an order or an address", () => {
  for (const { name, kind, labels } of Object.values(METRICS)) {
    expect(name).toMatch(/^exchange_[a-z_]+$/);
    expect(name.endsWith("_total")).toBe(kind === "counter");
    for (const label of labels) expect(label).not.toMatch(/merchant|order|address|customer|_id/);
  }
  const names = Object.values(METRICS).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the values of all processes are added, and a shared gauge has its highest or its broken value", async () => {
  const [one, other] = [makeMetrics(), makeMetrics()];
  for (const { metrics } of [one, other]) {
    metrics.requests.inc({ method: "GET", route: "/v1/orders", code: "200" }, 2);
    metrics.requestSeconds.observe({ method: "GET", route: "/v1/orders" }, 0.02);
    metrics.requestsInFlight.set(3);
  }
  one.metrics.auditBreaks.set(4);
  one.metrics.databaseUp.set(1);
  other.metrics.databaseUp.set(0);
  one.beforeScrape(() => one.metrics.eventStreams.set(7));
  const { type, text } = await combine([await one.read(), await other.read()]);
  expect(type).toMatch(/^text\/plain/);
  const lines = text.split("\n");
  for (const line of [
    'exchange_http_requests_total{method="GET",route="/v1/orders",code="200"} 4',
    'exchange_http_request_duration_seconds_count{method="GET",route="/v1/orders"} 2',
    "exchange_http_requests_in_flight 6",
    "exchange_audit_breaks 4",
    "exchange_database_up 0",
    "exchange_event_streams 7",
  ]) {
    expect(lines).toContain(line);
  }
});

test("a process that never sets a gauge does not report it", async () => {
  const { text } = await combine([await makeMetrics().read()]);
  expect(text).toContain("# HELP exchange_audit_breaks");
  expect(text).not.toMatch(/^exchange_audit_breaks /m);
});
