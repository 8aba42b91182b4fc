import { randomUUID } from "node:crypto";
import { findExchange, startCustomers } from "../customers.mjs";
import { startBareHttp, startPrism } from "../floors/http.mjs";
import { pgbench, pgbenchBuiltin } from "../floors/pgbench.mjs";
import { loadEvenly, loadFully } from "../load.mjs";
import { resultOf } from "../measure.mjs";
import { socketOf } from "../postgres.mjs";
import { cpuMsOf, cpuMsOfFamily, withCpu, withCpuOf } from "../processes.mjs";

const CONNECTIONS = 64;
const PGBENCH_CLIENTS = 32;
const QUERY = "operationType=B&countryCode=DE";
const LATENCY_ROUNDS = 3;
const LATENCY_TARGETS = { must: 10, aim: 5 };
/** More than the service may have under way, so that requests wait there and not here. */
const OVERLOAD_CONNECTIONS = 1_024;
const OVERLOAD_KEEPS = 0.9;
const REFUSED_WITHIN_MS = 50;

const jsonHeaders = (service) => ({ ...service.headers, "content-type": "application/json" });

/** Measures p99 against p50 at half the highest rate: a slow answer there is a pause, not a queue. */
const latencyRow =
  (name, calls) =>
  async (highest, { seconds, progress }) => {
    const rounds = [];
    for (let round = 1; round <= LATENCY_ROUNDS; round++) {
      const load = await loadEvenly(calls, {
        connections: CONNECTIONS,
        seconds,
        perSecond: highest / 2,
      });
      if (load.failed + load.refused.requests > 0) throw new Error(`${name}: requests failed`);
      rounds.push({ ...load, ratio: load.p99 / load.p50 });
      progress(
        `${name}, p99 at half: round ${round} of ${LATENCY_ROUNDS}, ${rounds.at(-1).ratio.toFixed(1)}`,
      );
    }
    const ratios = rounds.map(({ ratio }) => ratio);
    const targets = { ...LATENCY_TARGETS, isUpperBound: true, floor: "its own p50" };
    const result = resultOf({ row: `${name}: p99 at half its maximum`, ...targets }, ratios);
    const { p50, p99 } = rounds[ratios.indexOf(result.ratio)];
    return [{ ...result, p50, p99, perSecond: highest / 2 }];
  };

/** Measures what is left of the highest rate at twice that rate, and how soon the rest is refused. */
async function overloadRow(name, calls, { highest, seconds, progress }) {
  const options = { connections: OVERLOAD_CONNECTIONS, seconds, perSecond: highest * 2 };
  const { perSecond, p50, p99, refused, failed } = await loadEvenly(calls, options);
  progress(
    `${name} at twice its maximum: ${perSecond.toFixed(0)}/s answered, ${refused.requests} refused ` +
      `(p99 ${refused.p99?.toFixed(0)} ms), ${failed} failed`,
  );
  const row = `${name}: kept at twice its maximum`;
  const result = resultOf({ row, must: OVERLOAD_KEEPS, floor: "its own maximum" }, [
    perSecond / highest,
  ]);
  const refusesInTime = failed === 0 && !(refused.p99 > REFUSED_WITHIN_MS);
  const rates = { perSecond, floorPerSecond: highest, p50, p99, refused, failed };
  return { ...result, isMet: result.isMet && refusesInTime, ...rates };
}

/** A row whose floor answers the same HTTP requests. */
const httpRow = ({ name, must, aim, floor, callsOf, startFloor, follows = true }) => ({
  name,
  must,
  aim,
  floor,
  prepare: async (service) => {
    const calls = await callsOf(service);
    const server = await startFloor(service, calls);
    const measure = (pid, urls, seconds) =>
      withCpu(pid, () => loadFully({ ...calls, urls }, { connections: CONNECTIONS, seconds }));
    return {
      floor: (seconds) => measure(server.pid, [server.url], seconds),
      service: (seconds) => measure(service.pid, calls.urls, seconds),
      ...(follows && { follow: latencyRow(name, calls) }),
      stop: server.stop,
    };
  },
});

/** Asks the service once, without compression as the load does, for bare node:http to repeat. */
async function startSameAnswer(calls, options) {
  const { urls, method, headers, body } = calls;
  const response = await fetch(urls[0], {
    method,
    headers: { ...headers, "accept-encoding": "identity" },
    ...(body && { body }),
  });
  if (!response.ok) throw new Error(`${urls[0]} answered ${response.status}, not with success`);
  return startBareHttp(response, options);
}

const readRow = ({ name, must, aim, callsOf }) =>
  httpRow({
    name,
    must,
    aim,
    floor: "bare node:http sending the same bytes",
    callsOf,
    startFloor: (_service, calls) => startSameAnswer(calls),
  });

const withCredentials = (path) => async (service) => ({
  urls: [`${service.url}${path}?${QUERY}`],
  headers: service.headers,
});

async function quoteCalls(service) {
  const body = JSON.stringify(await findExchange(service));
  const urls = [`${service.url}/exchange/quotes`];
  return { urls, method: "POST", headers: jsonHeaders(service), body };
}

/** One insert of a row like a session's, in a transaction of its own. */
const INSERT = `\\set id random(1, 9000000000000000)
insert into bench_sessions (merchant_id, session_id, token_jti, scope, lock)
  values ('client_dev_bench', :id || '-' || random(), gen_random_uuid(), array['order.create'], '{}');`;

const TABLE = `create table if not exists bench_sessions (merchant_id text, session_id text,
  token_jti uuid, scope text[], lock jsonb, created_at timestamptz default now(),
  primary key (merchant_id, session_id));`;

export const tokenCalls = (service) => ({
  urls: [`${service.url}/public_token/create`],
  method: "POST",
  headers: jsonHeaders(service),
  drawBody: () => JSON.stringify({ sessionId: randomUUID() }),
});

/** Tokens are durable before the answer. Processor time is the service's and PostgreSQL's together. */
const tokenRow = ({ name, must, aim, connections, clients, isOverloaded }) => ({
  name,
  must,
  aim,
  floor: `pgbench inserting such a row, ${clients} clients`,
  prepare: async (service) => {
    const calls = tokenCalls(service);
    const { dataDir } = service;
    const { pid } = await socketOf(dataDir);
    const databaseMs = () => cpuMsOfFamily(pid);
    const serviceMs = async () => (await cpuMsOf(service.pid)) + (await databaseMs());
    await pgbench({ dataDir, script: TABLE, clients: 1, seconds: 1 });
    return {
      floor: (seconds) =>
        withCpuOf(databaseMs, () => pgbench({ dataDir, script: INSERT, clients, seconds })),
      service: (seconds) => withCpuOf(serviceMs, () => loadFully(calls, { connections, seconds })),
      follow: async (highest, options) => [
        ...(await latencyRow(name, calls)(highest, options)),
        ...(isOverloaded ? [await overloadRow(name, calls, { highest, ...options })] : []),
      ],
      stop: () => {},
    };
  },
});

/** The orders that are read in turn were paid, sent and completed. */
const orderReadRow = {
  name: "GET one order",
  must: 0.2,
  aim: 0.4,
  floor: `pgbench selecting by key, ${PGBENCH_CLIENTS} clients`,
  prepare: async (service) => {
    const customers = await startCustomers(service);
    const { orderIds } = await customers.buy({ customers: 32, seconds: 3 });
    await customers.stop();
    const { headers, dataDir, pid } = service;
    const calls = { urls: orderIds.map((id) => `${service.url}/orders/${id}`), headers };
    return {
      floor: (seconds) =>
        pgbenchBuiltin({ dataDir, name: "select-only", clients: PGBENCH_CLIENTS, seconds }),
      service: (seconds) =>
        withCpu(pid, () => loadFully(calls, { connections: CONNECTIONS, seconds })),
      follow: latencyRow("GET one order", calls),
      stop: () => {},
    };
  },
};

export const API_ROWS = [
  readRow({
    name: "GET payment-methods",
    must: 0.6,
    aim: 0.9,
    callsOf: withCredentials("/payment-methods"),
  }),
  readRow({
    name: "GET exchange/currencies",
    must: 0.6,
    aim: 0.9,
    callsOf: withCredentials("/exchange/currencies"),
  }),
  readRow({
    name: "GET sdk/exchange.js",
    must: 0.7,
    aim: 0.9,
    callsOf: async ({ url, clientId }) => ({
      urls: [`${url}/sdk/exchange.js?clientId=${clientId}&env=staging`],
    }),
  }),
  httpRow({
    name: "POST exchange/quotes",
    must: 0.45,
    aim: 0.7,
    floor: "bare node:http parsing and answering the same JSON",
    callsOf: quoteCalls,
    startFloor: (_service, calls) => startSameAnswer(calls, { parses: true }),
  }),
  tokenRow({
    name: "POST public_token/create, 64 clients",
    must: 0.5,
    aim: 0.8,
    connections: CONNECTIONS,
    clients: PGBENCH_CLIENTS,
    isOverloaded: true,
  }),
  tokenRow({
    name: "POST public_token/create, 1 client",
    must: 0.25,
    aim: 0.5,
    connections: 1,
    clients: 1,
    isOverloaded: false,
  }),
  orderReadRow,
];

/** The quotes against a mock of our OpenAPI document, which is what a merchant would use instead. */
export const prismRow = (folder) =>
  httpRow({
    name: "POST exchange/quotes, Prism",
    must: 8,
    aim: 12,
    floor: "a Prism mock of the OpenAPI document",
    callsOf: quoteCalls,
    follows: false,
    startFloor: async (service) => {
      const { url, pid, stop } = await startPrism(folder, service);
      return { url: `${url}/exchange/quotes`, pid, stop };
    },
  });
