import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from "prom-client";
import { METRICS, type MetricKey } from "./table.ts";

type Table = typeof METRICS;
type LabelOf<Row> = Row extends { readonly labels: readonly (infer Label extends string)[] }
  ? Label
  : never;
type MetricOf<Row> = Row extends { readonly kind: "counter" }
  ? Counter<LabelOf<Row>>
  : Row extends { readonly kind: "histogram" }
    ? Histogram<LabelOf<Row>>
    : Gauge<LabelOf<Row>>;

/** The metrics of one process, by their keys in the table. */
export type Metrics = { readonly [Key in MetricKey]: MetricOf<Table[Key]> };

/** Samples of one process, as another process receives them. */
export type Samples = readonly MetricObject[];

export interface MetricsRegistry {
  readonly metrics: Metrics;
  /** Calls the function before each scrape, so that it sets gauges of the moment. */
  beforeScrape(set: () => void): void;
  read(): Promise<Samples>;
}

/** Makes the metrics of one process. */
export function makeMetrics(): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  const made = Object.entries(METRICS).map(([key, row]) => {
    const { name, help, labels, combined } = row;
    const options = { name, help, labelNames: [...labels], registers, aggregator: combined };
    if (row.kind === "counter") return [key, new Counter(options)];
    if (row.kind === "gauge") return [key, new Gauge(options)];
    return [key, new Histogram({ ...options, buckets: [...row.buckets] })];
  });
  const setters: (() => void)[] = [];
  const metrics = Object.fromEntries(made) as Metrics;
  // A gauge without labels begins at 0, which a process that never sets it must not report.
  for (const [key, { kind, combined }] of Object.entries(METRICS)) {
    if (kind === "gauge" && combined !== "sum") forget(metrics, key as GaugeKey);
  }
  return {
    metrics,
    beforeScrape: (set) => void setters.push(set),
    read: async () => {
      for (const set of setters) set();
      return registry.getMetricsAsJSON();
    },
  };
}

type GaugeKey = {
  [Key in MetricKey]: Table[Key] extends { readonly kind: "gauge" } ? Key : never;
}[MetricKey];

/** Removes the values of a gauge, so that this process does not report it. */
export function forget(metrics: Metrics, key: GaugeKey): void {
  const gauge: Gauge = metrics[key];
  if (METRICS[key].labels.length === 0) gauge.remove();
  else gauge.reset();
}

const DEFAULTS = new Registry();

/** Gauges whose names Prometheus's own check refuses. */
const MISNAMED = ["handles", "requests", "resources"].map((what) => `nodejs_active_${what}_total`);

/** Returns Node's own metrics of this process: memory, processor time and the event loop. Measured from the first call. */
export async function readProcessMetrics(): Promise<Samples> {
  if (DEFAULTS.getMetricsAsArray().length === 0) {
    collectDefaultMetrics({ register: DEFAULTS });
    for (const name of MISNAMED) DEFAULTS.removeSingleMetric(name);
  }
  return DEFAULTS.getMetricsAsJSON();
}

/** The delay of the slowest process counts. The library takes the average. */
const withSlowest = (samples: Samples): Samples =>
  samples.map((one) =>
    one.name.startsWith("nodejs_eventloop_lag") ? { ...one, aggregator: "max" as const } : one,
  );

const aggregate = (processes: readonly Samples[]): Registry =>
  AggregatorRegistry.aggregate(processes.map((each) => [...withSlowest(each)]));

/** Returns the samples of all processes as Prometheus reads them. */
export async function combine(
  processes: readonly Samples[],
): Promise<{ readonly type: string; readonly text: string }> {
  const registry = aggregate(processes);
  return { type: registry.contentType, text: await registry.metrics() };
}

/** Returns whether a metric only grows while its process lives. Samples have the kind as text, unlike the library's type. */
export const isCount = ({ type }: MetricObject): boolean => String(type) !== "gauge";

/** Returns the samples of all processes as if one process had counted them. */
export const addUp = (processes: readonly Samples[]): Promise<Samples> =>
  aggregate(processes).getMetricsAsJSON();
