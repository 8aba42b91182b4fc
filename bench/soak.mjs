import { setTimeout as sleep } from "node:timers/promises";
import { load } from "./load.mjs";
import { nodeMemoryMb } from "./processes.mjs";
import { quoteBody } from "./rows/quotes.mjs";

const SAMPLE_SECONDS = 5;
/** What a service keeps for ever it has after this part of the time: caches, compiled code. */
const WARM_PART = 0.25;
const CONNECTIONS = 8;

/** Watches the memory under a steady load of reads, quotes and tokens; says how fast it grows. */
export async function soak(service, { minutes, progress }) {
  const seconds = minutes * 60;
  let isOver = false;
  const loads = Promise.all(
    (await steadyLoads(service)).map((job) => load({ ...job, seconds })),
  ).finally(() => {
    isOver = true;
  });
  const samples = [];
  const startedAt = performance.now();
  while (!isOver) {
    const minute = (performance.now() - startedAt) / 60_000;
    samples.push({ minute, mb: await nodeMemoryMb(service.pid) });
    progress(`${minute.toFixed(1)} of ${minutes} minutes: ${samples.at(-1).mb.toFixed(0)} MB`);
    await Promise.race([sleep(SAMPLE_SECONDS * 1_000), loads]);
  }
  const requests = (await loads).reduce((sum, each) => sum + each.requests, 0);
  const settled = samples.filter(({ minute }) => minute >= minutes * WARM_PART);
  return { requests, samples, mbAnHour: slopeOf(settled) * 60, last: samples.at(-1).mb };
}

async function steadyLoads(service) {
  const { url, headers } = service;
  const query = "?operationType=B&countryCode=DE";
  const posts = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  const token = {
    url: `${url}/public_token/create`,
    body: JSON.stringify({ sessionId: "{uuid}" }),
  };
  const quote = { url: `${url}/exchange/quotes`, body: await quoteBody(service) };
  return [
    {
      url: [`${url}/payment-methods${query}`, `${url}/exchange/currencies${query}`],
      headers,
      perSecond: 200,
    },
    { ...posts, ...quote, perSecond: 100 },
    { ...posts, ...token, perSecond: 50 },
  ].map((job) => ({ ...job, connections: CONNECTIONS }));
}

/** The slope of the line of least squares, megabytes a minute. */
function slopeOf(samples) {
  const mean = (pick) => samples.reduce((sum, each) => sum + pick(each), 0) / samples.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ mb }) => mb)];
  const across = mean(({ minute, mb }) => (minute - x) * (mb - y));
  const along = mean(({ minute }) => (minute - x) ** 2);
  return along === 0 ? 0 : across / along;
}
