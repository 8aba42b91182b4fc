import { createHash } from "node:crypto";
import { openMerchant } from "../customers.mjs";

const DAY_SECONDS = 86_400;
const EVENT_DAYS = 90;
const READS = 200;
const WRITES = 100;
const CURSORS = 40;
const RECENT = 10_000;

/** Returns the id of order n, as books.sql writes it. */
const idOf = (number) => {
  const n = BigInt(number);
  return 2_099_511_627_776n + (n / 3_000n) * 4_194_304n + ((n * 2_654_435_761n) % 4_194_304n);
};

/** Returns the session of order n. */
function sessionOf(number) {
  const hex = createHash("md5").update(`session${number}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The calls that are made of a service with loaded orders, one at a time. Each returns the milliseconds
 * that it took. Deep pages and orders "of all" are drawn from the whole range.
 */
export async function makeCalls({ url, headers, orders, days }) {
  const now = Math.floor(Date.now() / 1_000);
  const eventDays = Math.min(days, EVENT_DAYS);
  const events = await lastPosition({ url, headers, most: orders * 2 });
  const drawNumber = (from, to) => Math.floor(from + Math.random() * (to - from));
  const drawDay = (within) => now - drawNumber(1, within) * DAY_SECONDS;
  const dayOf = (within) => {
    const from = drawDay(within);
    return `createdFrom=${from}&createdTo=${from + DAY_SECONDS}&limit=20`;
  };
  const read = (pathOf) => ({ times: READS, ask: () => timed(`${url}${pathOf()}`, { headers }) });
  const deep = async (path) => {
    const cursors = await drawCursors({ url, headers, path, drawDay: () => drawDay(days) });
    return read(() => `${path}&cursor=${cursors[drawNumber(0, cursors.length)]}`);
  };
  return {
    "one order of the latest": read(
      () => `/orders/${idOf(drawNumber(Math.max(1, orders - RECENT), orders))}`,
    ),
    "one order of all": read(() => `/orders/${idOf(drawNumber(1, orders))}`),
    "orders, first page": read(() => "/orders?limit=20"),
    "orders, a deep page": await deep("/orders?limit=20"),
    "orders of a status, first page": read(() => "/orders?limit=20&status=completed"),
    "orders of a status, a deep page": await deep("/orders?limit=20&status=completed"),
    "orders of a status and an operation, a deep page": await deep(
      "/orders?limit=20&status=in_review&operationType=FF",
    ),
    "orders of a day": read(() => `/orders?${dayOf(days)}`),
    "a session": read(() => `/sessions/${sessionOf(drawNumber(1, orders))}`),
    "events, from the beginning": read(() => "/events?limit=20"),
    "events, from anywhere": read(() => `/events?limit=20&after=${drawNumber(0, events)}`),
    "deliveries, first page": read(() => "/webhook_deliveries?limit=20"),
    "deliveries of an order": read(
      () => `/webhook_deliveries?orderId=${idOf(drawNumber(orders * 0.9, orders))}`,
    ),
    "deliveries of a day": read(() => `/webhook_deliveries?${dayOf(eventDays)}`),
    "deliveries that were exhausted": read(() => "/webhook_deliveries?limit=20&status=exhausted"),
    ...(await makeWrites({ url, headers })),
  };
}

async function makeWrites({ url, headers }) {
  const merchant = await openMerchant({ url, headers });
  const session = await merchant.openSession();
  const place = async () => {
    const own = await merchant.openSession();
    const quote = await own.takeQuote();
    return clock(() => own.placeOrder(quote));
  };
  return {
    "a token": { times: WRITES, ask: () => clock(() => merchant.openSession()) },
    "a quote": { times: WRITES, ask: () => clock(() => session.takeQuote()) },
    "an order placed": { times: WRITES, ask: place },
  };
}

async function clock(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Draws cursors of whole pages far behind the first. A short page would cost less. */
async function drawCursors({ url, headers, path, drawDay }) {
  const next = async (rest) => {
    const page = await fetch(`${url}${path}${rest}`, { headers });
    return (await page.json()).nextCursor;
  };
  const cursors = [];
  for (let count = 0; count < CURSORS; count++) {
    const cursor = await next(`&createdTo=${drawDay()}`);
    if (cursor && (await next(`&cursor=${cursor}`))) cursors.push(cursor);
  }
  return cursors;
}

/** Finds the position of the merchant's last event by halving. */
async function lastPosition({ url, headers, most }) {
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const page = await fetch(`${url}/events?limit=1&after=${middle}`, { headers });
    if ((await page.text()).includes('"sequence":')) low = middle;
    else high = middle;
  }
  return low;
}

const timed = (address, init) =>
  clock(async () => {
    const response = await fetch(address, init);
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${address} answered ${response.status}: ${text.slice(0, 200)}`);
  });
