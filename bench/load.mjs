import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";

// The HTTP client that the service itself uses.
const { Client } = createRequire(new URL("../apps/server/package.json", import.meta.url))("undici");

/** Autocannon looks this often whether its time is over. */
const SAMPLE_MS = 100;
/** The service sends `Connection: close` after this many requests. Autocannon ignores it, so it reconnects by this count. */
const REQUESTS_PER_CONNECTION = 1_000;
const WARM_UP_MS = 500;
const TICK_MS = 1;

/**
 * @typedef {object} Calls
 * @property {string[]} urls called in turn; all of one origin
 * @property {string} [method]
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 * @property {() => string} [drawBody] returns the body of the next request, where each has its own
 *
 * @typedef {object} Load
 * @property {number} requests answered with success
 * @property {number} perSecond
 * @property {number} p50 milliseconds, with fractions; so is p99
 * @property {number} p99
 */

/**
 * Sends requests as fast as answers come: each connection sends its next request when it has its answer.
 * Throws when an answer is not a success.
 * @returns {Promise<Load>}
 */
export async function loadFully(calls, { connections, seconds }) {
  const { urls, method = "GET", headers = {}, body, drawBody } = calls;
  // Only where it must: autocannon builds the whole request again for each.
  const setup = drawBody && { setupRequest: (request) => ({ ...request, body: drawBody() }) };
  const running = autocannon({
    url: new URL(urls[0]).origin,
    requests: urls.map((url) => ({ path: pathOf(url), method, headers, body, ...setup })),
    connections,
    duration: seconds,
    sampleInt: SAMPLE_MS,
    reconnectRate: REQUESTS_PER_CONNECTION,
  });
  // Autocannon's own histogram counts whole milliseconds.
  const latenciesMs = [];
  running.on("response", (_client, _status, _bytes, ms) => latenciesMs.push(ms));
  const { errors, non2xx, duration } = await running;
  if (errors + non2xx > 0) {
    throw new Error(`${urls[0]}: ${errors} requests failed and ${non2xx} were refused`);
  }
  return summaryOf(latenciesMs, duration);
}

/**
 * Sends requests at an even pace. A request's time begins when it is due, so waiting for a free
 * connection counts. Requests of the first half second are not counted: their connections are new.
 * @returns {Promise<Load & { refused: Load, failed: number }>} `refused` are answers of status 503
 */
export async function loadEvenly(calls, { connections, seconds, perSecond }) {
  const { urls, method = "GET", headers, body, drawBody = () => body } = calls;
  const pool = openConnections(new URL(urls[0]).origin, connections);
  const answers = [];
  const send = async (number, dueAt) => {
    const request = {
      path: pathOf(urls[number % urls.length]),
      method,
      headers,
      body: drawBody(),
    };
    const status = await answerOf(pool, request);
    answers.push({ status, dueAt, ms: performance.now() - dueAt });
  };
  const startedAt = performance.now();
  const endsAt = startedAt + WARM_UP_MS + seconds * 1_000;
  const sending = [];
  for (let now = startedAt; now < endsAt; now = performance.now()) {
    const due = ((now - startedAt) * perSecond) / 1_000;
    while (sending.length < due) {
      sending.push(send(sending.length, startedAt + (sending.length * 1_000) / perSecond));
    }
    await sleep(TICK_MS);
  }
  await Promise.all(sending);
  // Requests still queued when the pace ends are answered afterwards, so the rate is divided by the whole time.
  const elapsedSeconds = (performance.now() - startedAt - WARM_UP_MS) / 1_000;
  await pool.close();
  const counted = answers.filter(({ dueAt }) => dueAt >= startedAt + WARM_UP_MS);
  const timesOf = (isWanted) => counted.filter(isWanted).map(({ ms }) => ms);
  const succeeded = timesOf(({ status }) => status >= 200 && status < 300);
  const refused = timesOf(({ status }) => status === 503);
  return {
    ...summaryOf(succeeded, elapsedSeconds),
    refused: summaryOf(refused, elapsedSeconds),
    failed: counted.length - succeeded.length - refused.length,
  };
}

/**
 * Opens connections that each have one request at a time. undici's pool looks at each of its connections for every request, which
 * takes more of the shared processors than the service does.
 */
function openConnections(origin, connections) {
  const clients = Array.from({ length: connections }, () => new Client(origin, { pipelining: 1 }));
  const free = [...clients];
  const waiting = [];
  let served = 0;
  return {
    /** Resolves with a free connection, in the order of the requests. */
    take: () => (free.length > 0 ? free.shift() : new Promise((resolve) => waiting.push(resolve))),
    release: (client) => {
      if (served === waiting.length) free.push(client);
      else waiting[served++](client);
    },
    close: () => Promise.all(clients.map((client) => client.destroy())),
  };
}

/**
 * Returns the status of the answer, or 0 when none came. A refusal that may be repeated counts as 503, also on an
 * endpoint that documents no 503.
 */
async function answerOf(pool, request) {
  const client = await pool.take();
  try {
    const { statusCode, headers, body } = await client.request(request);
    await body.dump();
    return statusCode >= 500 && headers["retry-after"] !== undefined ? 503 : statusCode;
  } catch {
    return 0;
  } finally {
    pool.release(client);
  }
}

const pathOf = (url) => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Returns the count, the rate and the median and 99th percentile of a list of milliseconds. */
export function summaryOf(latenciesMs, seconds) {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (part) => sorted[Math.floor(sorted.length * part)];
  const perSecond = sorted.length / seconds;
  return { requests: sorted.length, perSecond, p50: at(0.5), p99: at(0.99) };
}
