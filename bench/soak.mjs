import { setTimeout as sleep } from "node:timers/promises";
import { startCustomers } from "./customers.mjs";
import { load } from "./load.mjs";
import { quoteBody } from "./rows/quotes.mjs";
import { MEASURES, sampleDisk, sampleMemory } from "./soak-samples.mjs";
import { trendOf } from "./trend.mjs";

const SAMPLE_SECONDS = 30;
const CONNECTIONS = 8;
/** Whole orders: card, sandbox chain, two webhooks. */
const CUSTOMERS = 4;
const ORDERS_PER_SECOND = 4;
/** Orders that are read while others are placed. */
const FIRST_ORDERS_SECONDS = 3;

/**
 * Watches memory and disk under a steady, moderate load of every kind of call. What a service keeps for
 * ever it has after the first half: caches, compiled code, connections. The line through the second tells
 * the growth.
 */
export async function soak(service, { minutes, progress }) {
  const customers = await startCustomers(service);
  const ordersOf = (seconds, perSecond) =>
    customers.buy({ customers: CUSTOMERS, seconds, perSecond });
  const { orderIds } = await ordersOf(FIRST_ORDERS_SECONDS);
  const seconds = minutes * 60;
  const jobs = await steadyLoads(service, orderIds);
  const loads = Promise.all([
    ordersOf(seconds, ORDERS_PER_SECOND),
    ...jobs.map((job) => load({ ...job, connections: CONNECTIONS, seconds })),
  ]);
  try {
    const watched = await watch(service, { minutes, loads, progress });
    const [orders, ...calls] = await loads;
    const requests = calls.reduce((sum, each) => sum + each.requests, 0);
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
    progress(`${sample.minute.toFixed(1)} of ${minutes} minutes: ${inWords(sample)}`);
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

const inWords = (sample) =>
  MEASURES.filter(([key]) => sample[key] !== undefined)
    .map(([key]) => `${key} ${sample[key].toFixed(1)} MB`)
    .join(", ");

async function steadyLoads(service, orderIds) {
  const { url, headers } = service;
  const query = "?operationType=B&countryCode=DE";
  const posts = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  const token = {
    url: `${url}/public_token/create`,
    body: JSON.stringify({ sessionId: "{uuid}" }),
  };
  const quote = { url: `${url}/exchange/quotes`, body: await quoteBody(service) };
  const script = `${url}/sdk/exchange.js?clientId=${service.clientId}&env=dev`;
  return [
    {
      url: [`${url}/payment-methods${query}`, `${url}/exchange/currencies${query}`],
      headers,
      perSecond: 60,
    },
    { url: script, perSecond: 20 },
    { url: orderIds.map((id) => `${url}/orders/${id}`), headers, perSecond: 20 },
    { ...posts, ...quote, perSecond: 40 },
    { ...posts, ...token, perSecond: 20 },
  ];
}
