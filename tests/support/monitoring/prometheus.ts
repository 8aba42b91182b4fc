import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { freePort, type Running, run } from "../service/processes.ts";
import { ROOT } from "../service/service.ts";

/** Prometheus itself is in the package of promtool. */
const PROGRAM = path.join(path.dirname(process.env["PROMTOOL_PATH"] ?? ""), "prometheus");
export const hasPrometheus = existsSync(PROGRAM);

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state?: string;
}

/** Samples of one series: times in seconds, and values as text. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** Prometheus on the shipped files, over the processes whose ports of probes it was given. */
export interface Prometheus {
  /** Returns the series that a graph shows from a moment, in seconds, until now. */
  seriesSince(since: number, query: string): Promise<readonly Series[]>;
  rules(): Promise<readonly Rule[]>;
  /** Returns the names of the alerts that fire now. */
  firing(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface PrometheusOptions {
  readonly ports: readonly number[];
  /** Changes the shipped rules. */
  readonly rules?: (text: string) => string;
}

/** Starts it on `deploy/prometheus`. The shipped pace is for days, and a run takes a minute. */
export async function startPrometheus({ ports, rules }: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-prometheus-"));
  await cp(path.join(ROOT, "deploy/prometheus"), folder, { recursive: true });
  const change = async (name: string, by: (text: string) => string): Promise<void> => {
    const file = path.join(folder, name);
    await writeFile(file, by(await readFile(file, "utf8")));
  };
  const targets = ports.map((port) => `"localhost:${port}"`).join(", ");
  await change("prometheus.yml", (text) =>
    text.replace('"localhost:9464"', targets).replaceAll(/interval: 10s/g, "interval: 1s"),
  );
  if (rules) await change("rules.yml", rules);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/v1`;
  const options = ["--web.listen-address", `127.0.0.1:${port}`, "--log.level=warn"];
  const files = ["--config.file", path.join(folder, "prometheus.yml")];
  const storage = ["--storage.tsdb.path", path.join(folder, "data")];
  const program: Running = run([PROGRAM, ...files, ...storage, ...options], {
    cwd: folder,
    env: process.env,
  });
  const isReady = () => fetch(`${url}/status/runtimeinfo`).then((reply) => reply.ok);
  await vi.waitUntil(() => isReady().catch(() => false), { timeout: 60_000, interval: 100 });
  const readRules = () => rulesOf(url);
  return {
    seriesSince: (since, query) => seriesOf(url, query, since),
    rules: readRules,
    firing: async () =>
      (await readRules()).filter(({ state }) => state === "firing").map(({ name }) => name),
    stop: async () => {
      program.signal("SIGTERM");
      await program.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function rulesOf(url: string): Promise<readonly Rule[]> {
  const { data } = (await (await fetch(`${url}/rules`)).json()) as {
    readonly data: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  };
  return data.groups.flatMap(({ rules }) => rules);
}

async function seriesOf(url: string, query: string, since: number): Promise<readonly Series[]> {
  const end = String(Date.now() / 1000);
  const parameters = new URLSearchParams({ query, start: String(since), end, step: "1" });
  const answer = (await (await fetch(`${url}/query_range?${parameters}`)).json()) as {
    readonly status: string;
    readonly data: { readonly result: readonly Series[] };
  };
  if (answer.status !== "success") throw new Error(`${query}: ${JSON.stringify(answer)}`);
  const isNumber = ([, value]: readonly [number, string]) => value !== "NaN";
  return answer.data.result.filter(({ values }) => values.some(isNumber));
}
