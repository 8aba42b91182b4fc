import { randomUUID } from "node:crypto";
import { idOf } from "./ids.mjs";

const WARM_UPS = 100;
const REQUESTS = 1_000;

/**
 * What a merchant asks for most: one order, the first page of a list, a new session. One request at a
 * time.
 */
export async function measure(service, { merchant, last, seed, print }) {
  const headers = { "x-client-id": merchant.clientId, "x-api-key": merchant.apiKey };
  const random = makeRandom(seed);
  const get = (pathOf) => () => request(service.url + pathOf(), { headers });
  const calls = {
    "one order": get(() => `/orders/${idOf(1 + Math.floor(random() * last))}`),
    "first page of a status": get(() => "/orders?status=completed&limit=20"),
    "first page of a status and an operation": get(
      () => "/orders?status=in_review&operationType=FF&limit=20",
    ),
    "a new session": () =>
      request(`${service.url}/public_token/create`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ sessionId: randomUUID() }),
      }),
  };
  const rows = {};
  for (const [name, ask] of Object.entries(calls)) {
    for (let count = 0; count < WARM_UPS; count++) await ask();
    const times = [];
    for (let count = 0; count < REQUESTS; count++) times.push(await ask());
    times.sort((a, b) => a - b);
    rows[name] = { p50: times[REQUESTS / 2], p99: times[Math.floor(REQUESTS * 0.99)] };
    print(`${name} of ${last}: ${rows[name].p50.toFixed(2)} ms`);
  }
  return rows;
}

async function request(url, init) {
  const startedAtMs = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const tookMs = performance.now() - startedAtMs;
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
  return tookMs;
}

/** Mulberry32: the same seed asks for the same orders. */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
