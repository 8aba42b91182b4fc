import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import type { Tracing } from "../domain/ports/tracing.ts";
import type { Deps } from "../flows/deps.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { type BatchedWrites, makeBatchedWrites } from "../storage/batched-writes.ts";
import { readTraceParents } from "../storage/orders/trace-parents.ts";
import { makeBatcher } from "../storage/postgres/batches.ts";
import type { Database } from "../storage/postgres/database.ts";
import type { Tracer } from "../tracing/open-telemetry.ts";
import { type MeteredRails, meterRails, meterWrites } from "./metering.ts";
import { makeRailStates } from "./rail-states.ts";
import type { StopList } from "./stop-list.ts";
import { readVersion } from "./version.ts";
import { withCalls } from "./with-calls.ts";

interface OpenTracing {
  readonly tracing: Tracing | undefined;
  /** Stores the trace of the request with each order that it places. */
  traceWrites(writes: BatchedWrites): BatchedWrites;
  /** Records a span for each call to a rail within a traced order. */
  traceRails(rails: MeteredRails): MeteredRails;
}

interface ObservedParts extends Pick<Deps, "database" | "log" | "metrics"> {
  readonly config: Config;
  readonly stops: StopList;
}

/** Counts and traces the writes of orders and the calls to rails. */
export async function observeWork(options: ObservedParts, rails: MeteredRails) {
  const { config, database, metrics } = options;
  const { tracing, traceWrites, traceRails } = await openTracing(config, options);
  const railStates = makeRailStates();
  const observed = {
    ...meterWrites(traceWrites(makeBatchedWrites(database)), metrics),
    ...meterRails(traceRails(rails), { metrics, states: railStates }),
    metrics,
    tracing,
  };
  return { railStates, observed };
}

const OFF: OpenTracing = {
  tracing: undefined,
  traceWrites: (writes) => writes,
  traceRails: (rails) => rails,
};

/** An order has some ten jobs and deliveries within seconds of each other. */
const ORDERS_IN_MEMORY = 4_096;

/** Starts to trace this process if the operator asks for it. Otherwise nothing of it is loaded. */
async function openTracing(
  config: Config,
  { database, log, stops }: ObservedParts,
): Promise<OpenTracing> {
  const { tracesUrl: url, tracesRatio: ratio, environment, role } = config;
  if (url === undefined) return OFF;
  const { startTracer } = await import("../tracing/open-telemetry.ts");
  const resource = {
    "service.name": "exchange",
    "service.version": readVersion(),
    "service.instance.id": randomIds.uuid(),
    "deployment.environment.name": environment,
    "exchange.role": role,
  };
  const tracer = startTracer({ url, ratio, resource, warn: (message) => log.warn(message) });
  stops.add("traces", () => tracer.close());
  const parentOf = makeParentOf(database);
  return {
    tracing: {
      startRequest: tracer.startRequest,
      runForOrder: async (orderId, start, work) =>
        tracer.runBelow(await parentOf(orderId), start, work),
    },
    traceWrites: (writes) => ({
      ...writes,
      placeNewOrder: (placing) =>
        writes.placeNewOrder({ ...placing, traceParent: tracer.current() }),
    }),
    traceRails: (rails) => ({
      cardProcessor: traceRail(tracer, "card", rails.cardProcessor),
      bank: traceRail(tracer, "bank", rails.bank),
      chain: traceRail(tracer, "chain", rails.chain),
    }),
  };
}

/** A trace that cannot be read costs its spans. The work goes on without. */
function makeParentOf(database: Database): (orderId: bigint) => Promise<string | null> {
  const parents = new LRUCache<bigint, { readonly parent: string | null }>({
    max: ORDERS_IN_MEMORY,
  });
  const read = makeBatcher<bigint, string | null>({
    run: (orderIds) => readTraceParents(database, orderIds),
    batchesInFlightMax: 2,
    itemsMax: 256,
  });
  return async (orderId) => {
    const cached = parents.get(orderId);
    if (cached) return cached.parent;
    try {
      const parent = await read(orderId);
      parents.set(orderId, { parent });
      return parent;
    } catch {
      return null;
    }
  };
}

const traceRail = <Rail extends object>(
  tracer: Tracer,
  name: string,
  rail: Rail | undefined,
): Rail | undefined =>
  rail &&
  withCalls(rail, (call, _values, run) =>
    tracer.runCall(
      { name: `${name} ${call}`, attributes: { "exchange.rail": name, "exchange.call": call } },
      run,
    ),
  );
