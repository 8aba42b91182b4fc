import { setTimeout as sleep } from "node:timers/promises";
import { openShop, SLOW, seePrice } from "./lab.mjs";
import { rowOf } from "./rows.mjs";

/** Late layout shifts and long tasks happen within this time. */
const SETTLED_MS = 1_500;
const ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

const LIMITS = [
  {
    key: "requests",
    row: "checkout first load: requests before it asks the API",
    unit: "",
    limit: 6,
  },
  {
    key: "bytes",
    row: "checkout first load: all bytes, the API's answers too",
    unit: "kB",
    limit: 70,
  },
  { key: "lcp", row: "checkout LCP", unit: "s", limit: 1.5 },
  { key: "floors", row: "checkout LCP, in first paints of a bare page", unit: "", limit: 6 },
  { key: "inp", row: "checkout INP", unit: "ms", limit: 100 },
  { key: "cls", row: "checkout CLS", unit: "", limit: 0.02 },
  { key: "tbt", row: "checkout TBT", unit: "ms", limit: 100 },
  { key: "elsewhere", row: "requests to third parties", unit: "", limit: 0 },
  { key: "cookies", row: "cookies", unit: "", limit: 0 },
  { key: "inline", row: "inline styles and scripts of the checkout", unit: "", limit: 0 },
];

/** Measures a purchase as far as the card, with nothing cached, in the lab profile. */
export async function measureLoads(lab, { rounds, progress }) {
  const loads = [];
  for (let round = 1; round <= rounds; round++) {
    loads.push(await load(lab));
    const { lcp, inp, tbt } = loads.at(-1);
    progress(
      `load ${round} of ${rounds}: LCP ${lcp.toFixed(2)} s, INP ${inp} ms, TBT ${tbt.toFixed(0)} ms`,
    );
  }
  return LIMITS.map(({ key, ...row }) =>
    rowOf({ ...row, figures: loads.map((each) => each[key]) }),
  );
}

async function load(lab) {
  const { context, page, wire } = await openShop(lab, SLOW, { script: watchVitals });
  const floor = await page.evaluate(firstPaint);
  const traffic = watchTraffic(wire);
  await page.locator("#buy").click();
  const frame = await seePrice(page);
  const { requests, bytes } = traffic.firstScreen();
  await sleep(SETTLED_MS);
  const { lcp, cls, tbt } = await readVitals(frame);
  await use(frame);
  const { inp } = await readVitals(frame);
  const inline = await frame.locator("html").evaluate(countInline);
  const cookies = (await context.cookies()).length;
  const own = [lab.shop.origin, new URL(lab.service.url).origin];
  const elsewhere = traffic.addresses.filter((url) => !own.includes(new URL(url).origin)).length;
  await context.close();
  return {
    lcp: lcp / 1_000,
    floors: lcp / floor,
    inp,
    cls,
    tbt,
    requests,
    bytes: bytes / 1_000,
    inline,
    cookies,
    elsewhere,
  };
}

/** Runs in the shop's page, which has a heading and a button. Its paint is the floor of this machine and line. */
const firstPaint = () => performance.getEntriesByName("first-contentful-paint")[0].startTime;

/** Types, chooses and continues, as a customer does. */
async function use(frame) {
  const next = () => frame.locator(".main .main-button").click();
  await frame.locator("#amount-spend").click();
  await frame.locator("#amount-spend").press("End");
  await frame.locator("#amount-spend").press("0");
  await frame.locator(".price-line[aria-busy=false] .price").waitFor();
  await frame.locator("button.pill").last().click();
  await frame.locator("#currency-search").pressSequentially("bit", { delay: 80 });
  await frame.locator(".back").click();
  await next();
  await frame.locator(".choices").waitFor();
  await next();
  await frame.locator("#wallet-address").fill(ADDRESS);
  await frame.locator(".check .good").waitFor();
  await next();
  await frame.locator(".sandbox-line .quiet-button").first().click();
}

/** Records every request of the page and its frames. */
function watchTraffic(wire) {
  const sent = new Map();
  wire.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (/^https?:/.test(request.url)) sent.set(requestId, { url: request.url, bytes: 0 });
  });
  wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = sent.get(requestId);
    if (request) request.bytes = encodedDataLength;
  });
  return {
    get addresses() {
      return [...sent.values()].map(({ url }) => url);
    },
    /** Returns what the first screen loaded, without the screens that are fetched after it. */
    firstScreen() {
      const first = [...sent.values()].filter(
        ({ url }) => /^\/(v1\/)?checkout/.test(new URL(url).pathname) && !/\/later-/.test(url),
      );
      return {
        requests: first.filter(({ url }) => !/\/v1\/|\/v1$/.test(url)).length,
        bytes: first.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
  };
}

/** Runs in the checkout. A script element that holds data is not a script. */
const countInline = (root) =>
  root.querySelectorAll("style, [style], script:not([src]):not([type='application/json'])").length;

/**
 * Runs in every frame before its own scripts. It stores the browser's entries of paints, layout shifts,
 * long tasks and inputs for `readVitals`.
 */
function watchVitals() {
  const vitals = { lcp: 0, cls: 0, tasks: [], inputs: {} };
  const watch = (type, take, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...options,
    });
  watch("largest-contentful-paint", ({ startTime }) => {
    vitals.lcp = startTime;
  });
  watch("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) vitals.cls += value;
  });
  watch("longtask", ({ startTime, duration }) => vitals.tasks.push({ startTime, duration }));
  watch(
    "event",
    ({ interactionId, duration }) => {
      if (!interactionId) return;
      vitals.inputs[interactionId] = Math.max(vitals.inputs[interactionId] ?? 0, duration);
    },
    { durationThreshold: 16 },
  );
  window.vitals = vitals;
}

const BLOCKING_MS = 50;

/** Returns the time of the largest paint, the layout shift, the blocked time and the slowest input. */
async function readVitals(frame) {
  const { lcp, cls, tasks, inputs } = await frame.locator("body").evaluate(() => window.vitals);
  const tbt = tasks.reduce((sum, { duration }) => sum + Math.max(0, duration - BLOCKING_MS), 0);
  // The browser reports no input that took less than 16 ms.
  return { lcp, cls, tbt, inp: Math.max(16, ...Object.values(inputs)) };
}
