import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../cli/main.ts";
import { RUNBOOKS } from "../domain/alerts/causes.ts";
import { METRICS } from "../metrics/table.ts";
import { listQueries, makeDashboard } from "./dashboard.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PAGES = `${ROOT}docs/operating/runbooks/`;
const read = (file: string): string => readFileSync(`${ROOT}${file}`, "utf8");

const rules = read("deploy/prometheus/rules.yml");
const ALERTS = rules
  .split(/^ {6}- /m)
  .filter((rule) => rule.startsWith("alert: "))
  .map((rule) => ({
    name: /^alert: (\w+)/.exec(rule)?.[1] ?? "",
    runbook: /runbook: docs\/operating\/runbooks\/([a-z-]+)\.md/.exec(rule)?.[1] ?? "",
    rule,
  }));
const PAGE_NAMES = readdirSync(PAGES)
  .map((file) => file.replace(/\.md$/, ""))
  .filter((name) => name !== "README");
const HEADINGS = ["What you see", "What it means", "Look", "Do", "Never"];

/** The names with the suffixes that a histogram adds. */
const REPORTED = new Set(
  Object.values(METRICS).flatMap(({ name, kind }) =>
    kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
  ),
);
const metricsIn = (text: string): string[] => text.match(/\bexchange_[a-z_]+/g) ?? [];

test("rules use only metrics that the service reports", () => {
  const used = metricsIn(rules);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !REPORTED.has(name))).toEqual([]);
});

test("each alert has a runbook and a case, and each runbook an alert", () => {
  expect(ALERTS.length).toBeGreaterThan(20);
  expect([...new Set(ALERTS.map(({ runbook }) => runbook))].sort()).toEqual(PAGE_NAMES.sort());
  const cases = new Set(read("deploy/prometheus/rules_test.yml").match(/alertname: \w+/g));
  expect([...cases].sort()).toEqual(ALERTS.map(({ name }) => `alertname: ${name}`).sort());
  for (const page of Object.values(RUNBOOKS)) expect(PAGE_NAMES).toContain(page);
  const index = read("docs/operating/runbooks/README.md");
  for (const { name, runbook } of ALERTS) {
    const row = index.split("\n").find((line) => line.startsWith(`| [${runbook}](${runbook}.md)`));
    expect(row).toContain(`\`${name}\``);
  }
});

describe.each(PAGE_NAMES)("the runbook %s", (name) => {
  const text = readFileSync(`${PAGES}${name}.md`, "utf8");

  test("has the five headings, and names its alerts and only metrics that exist", () => {
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
    for (const alert of ALERTS.filter(({ runbook }) => runbook === name)) {
      expect(text).toContain(`\`${alert.name}\``);
    }
    const metricNames = new Set(Object.values(METRICS).map((row): string => row.name));
    expect(metricsIn(text).filter((metric) => !metricNames.has(metric))).toEqual([]);
  });

  test("names only commands and options that exist", () => {
    for (const [, line = ""] of text.matchAll(/exchange ([^\n`]+)/g)) {
      const command = COMMANDS.find((each) => `${line} `.startsWith(`${each.name} `));
      expect(command, line).toBeDefined();
      // `--as` is an option of every command that changes something.
      const options = [...line.matchAll(/--([a-z-]+)/g)].map(([, option = ""]) => option);
      expect(Object.keys(command?.options ?? {}), line).toEqual(expect.arrayContaining(options));
    }
  });
});

test("service levels name metrics that exist", () => {
  const metricNames = new Set(Object.values(METRICS).map((row): string => row.name));
  const used = metricsIn(read("docs/operating/service-levels.md"));
  expect(used.filter((metric) => !metricNames.has(metric))).toEqual([]);
  expect(used.length).toBeGreaterThan(4);
});

// `npm test` finds or installs it, and says so where it cannot.
const { PROMTOOL_PATH: promtool = "" } = process.env;
test.runIf(existsSync(promtool))("promtool accepts the rules, and every case of them", () => {
  for (const args of [
    ["check", "config", "deploy/prometheus/prometheus.yml"],
    ["test", "rules", "deploy/prometheus/rules_test.yml"],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: ROOT, encoding: "utf8" });
    expect(status, `${stdout}${stderr}`).toBe(0);
  }
});

// After a change of the metrics: npm test -- --project unit testing/alerts.test -u
test("deploy/grafana/exchange.json is the dashboard of these metrics", async () => {
  const file = `${ROOT}deploy/grafana/exchange.json`;
  await expect(`${JSON.stringify(makeDashboard(), null, 2)}\n`).toMatchFileSnapshot(file);
  const used = new Set(listQueries().flatMap(metricsIn));
  expect([...used].filter((name) => !REPORTED.has(name))).toEqual([]);
});

test.runIf(existsSync(promtool))("promtool reads every query of the dashboard", () => {
  // A recording rule for each query is checked as one file.
  const rows = listQueries().map((expr, at) => ({ record: `exchange:query${at}`, expr }));
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-dashboard-"));
  const file = path.join(folder, "rules.yml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: rows }] }));
  const args = ["check", "rules", "--lint=none", file];
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
