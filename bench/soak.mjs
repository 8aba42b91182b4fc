import { setTimeout as sleep } from "node:timers/promises";
import { findExchange, startCustomers } from "./customers.mjs";
import { loadEvenly } from "./load.mjs";
import { tokenCalls } from "./rows/api.mjs";
import { MEASURES, sampleDisk, sampleMemory } from "./soak-samples.mjs";
import { trendOf } from "./trend.mjs";

const SAMPLE_SECONDS = 30;
const CONNECTIONS = 8;
/** Whole orders: card, sandbox chain, two webhooks. */
const CUSTOMERS = 4;
const ORDERS_PER_SECOND = 4;
/** Before the soak, some orders are bought that are read while others are placed. */
const FIRST_ORDERS_SECONDS = 3;
const TABLES_REPORTED = 12;

/**
 * Watches memory and disk under a steady, moderate load of every kind of call. Caches, compiled code and
 * connections fill in the first half; the line through the second half shows growth.
 */
export async function soak(service, { minutes, progress }) {
  const customers = await startCustomers(service);
  const ordersOf = (seconds, perSecond) =>
    customers.buy({ customers: CUSTOMERS, seconds, perSecond });
  const { orderIds } = await ordersOf(FIRST_ORDERS_SECONDS);
  const seconds = minutes * 60;
  const calls = await steadyCalls(service, orderIds);
  const loads = Promise.all([
    ordersOf(seconds, ORDERS_PER_SECOND),
    ...calls.map(({ perSecond, ...each }) =>
      loadEvenly(each, { connections: CONNECTIONS, seconds, perSecond }),
    ),
  ]);
  try {
    const watched = await watch(service, { minutes, loads, progress });
    const [orders, ...answered] = await loads;
    const failed = answered.reduce((sum, each) => sum + each.failed + each.refused.requests, 0);
    if (failed > 0) throw new Error(`${failed} requests of the soak failed or were refused`);
    const requests = answered.reduce((sum, each) => sum + each.requests, 0);
    return { ...watched, requests, orders: orders.requests };
  } finally {
    await customers.stop();
  }
}

async function watch(service, { minutes, loads, progress }) {
  const samples = [];
  const startedAt = performance.now();
  const minute = () => (performance.now() - startedAt) / 60_000;
  const before = await sampleDisk(service);
  while (minute() < minutes) {
    const sample = { minute: minute(), ...(await sampleMemory(service)) };
    samples.push(sample);
    progress(`${sample.minute.toFixed(1)} of ${minutes} minutes: ${sentenceOf(sample)}`);
    const left = (minutes - minute()) * 60;
    await Promise.race([sleep(Math.max(0, Math.min(SAMPLE_SECONDS, left)) * 1_000), loads]);
  }
  const after = await sampleDisk(service);
  const settled = samples.filter((sample) => sample.minute >= minutes / 2);
  const trends = MEASURES.flatMap(([key, name]) => {
    const values = settled.map((sample) => ({ minute: sample.minute, value: sample[key] }));
    return values.every(({ value }) => value !== undefined) ? [{ name, ...trendOf(values) }] : [];
  });
  return { trends, samples, disk: { before, after } };
}

const sentenceOf = (sample) =>
  MEASURES.filter(([key]) => sample[key] !== undefined)
    .map(([key]) => `${key} ${sample[key].toFixed(1)} MB`)
    .join(", ");

async function steadyCalls(service, orderIds) {
  const { url, headers } = service;
  const query = "?operationType=B&countryCode=DE";
  const quote = JSON.stringify(await findExchange(service));
  const tokens = tokenCalls(service);
  return [
    {
      urls: [`${url}/payment-methods${query}`, `${url}/exchange/currencies${query}`],
      headers,
      perSecond: 60,
    },
    { urls: [`${url}/sdk/exchange.js?clientId=${service.clientId}&env=staging`], perSecond: 20 },
    { urls: orderIds.map((id) => `${url}/orders/${id}`), headers, perSecond: 20 },
    { ...tokens, urls: [`${url}/exchange/quotes`], drawBody: () => quote, perSecond: 40 },
    { ...tokens, perSecond: 20 },
  ];
}

const mb = (number) => `${number.toFixed(number < 10 ? 2 : 1)} MB`;

/** Returns the growth of memory with its verdict, and the growth on disk, as text. */
export function soakReport({ minutes, requests, orders, trends, disk }) {
  const isMet = trends.length > 0 && !trends.some(({ grows }) => grows);
  const lines = [
    `${requests.toLocaleString("en")} requests and ${orders.toLocaleString("en")} whole orders in ${minutes} minutes`,
    ...trends.map(trendLine),
    isMet ? "no growth of memory: met" : "no growth of memory: NOT met",
    ...diskLines(disk),
  ];
  return { isMet, text: lines.join("\n") };
}

const trendLine = ({ name, mean, anHour, error, grows }) =>
  `${name}: ${mb(mean)}, ${anHour < 0 ? "falls" : "rises"} by ${mb(Math.abs(anHour))} ± ${mb(error)} an hour in the ` +
  `second half: ${grows ? "grows" : "does not grow"}`;

function diskLines({ before, after }) {
  const grown = [...after.tables]
    .map(([name, size]) => ({ name, grown: size - (before.tables.get(name) ?? 0) }))
    .filter((table) => table.grown > 0)
    .sort((a, b) => b.grown - a.grown);
  const sum = grown.reduce((total, table) => total + table.grown, 0);
  const largest = grown
    .slice(0, TABLES_REPORTED)
    .map((table) => `${table.name} ${mb(table.grown)}`);
  return [
    `on disk the tables grew by ${mb(sum)}: ${largest.join(", ")}`,
    `the write-ahead log has ${mb(after.logMb)}, of which old segments are used again`,
  ];
}
