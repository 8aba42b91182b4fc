import { isDeepStrictEqual } from "node:util";
import type { CDPSession, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { type ShopVisits, startShopVisits } from "../support/browser/shop-visits.ts";

const service = inject("service");
const SLOW_OPENS = 50;
const SLOWDOWN = 4;
const ROUNDS = 100;
const WARM_ROUNDS = 5;
const COUNTS = ["Nodes", "JSEventListeners", "Frames", "Documents"];

let visits: ShopVisits;

describe.runIf(hasBrowser)("the popup, opened again and again", () => {
  beforeAll(async () => {
    visits = await startShopVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  test(`${SLOW_OPENS} opens at ${SLOWDOWN} times CPU slowdown all reach ready`, {
    timeout: 900_000,
  }, async () => {
    const page = await visitWithMotion();
    await slowDown(page);
    for (let open = 0; open < SLOW_OPENS; open += 1) {
      expect(await page.evaluate(openAndClose)).toBe("host");
    }
  });

  test(`${ROUNDS} rounds of opening and closing leave no node, listener, frame or history entry`, async () => {
    const page = await visitWithMotion();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    // The first opening leaves one history entry ahead, as any Back does, and the next one replaces it;
    // the browser, too, keeps a few things from its first times.
    for (let round = 0; round < WARM_ROUNDS; round += 1) await page.evaluate(openAndClose);
    const before = await whatStays(page, session);
    for (let round = 0; round < ROUNDS; round += 1) await page.evaluate(openAndClose);
    await expect.poll(() => whatIsLeft(page, session)).toEqual(before);
  });
});

async function visitWithMotion(): Promise<Page> {
  const { page } = await visits.visit();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  return page;
}

/** In the shop's page: opens the popup, waits until it is ready, closes it, and returns the reason. */
async function openAndClose(): Promise<string> {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const giveUpAt = performance.now() + 200_000;
  const closed = window.exchange.init({ authenticationToken: token });
  while (window.exchange.state !== "open") {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (performance.now() > giveUpAt) return `still ${window.exchange.state}`;
  }
  window.exchange.close();
  return ((await closed) as { reason: string }).reason;
}

/**
 * Slows the page's process and the checkout's: of another site, it has another one. Frames of one site
 * share theirs, so one frame that stays keeps it slow for all that come.
 */
async function slowDown(page: Page): Promise<void> {
  const idleFrame = await addCheckoutFrame(page);
  const before = [await busyMs(page.mainFrame(), 0.1), await busyMs(idleFrame, 0.1)];
  for (const target of [page, idleFrame]) {
    const session = await page.context().newCDPSession(target);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  }
  const added = await addCheckoutFrame(page);
  for (const [index, frame] of [page.mainFrame(), added].entries()) {
    const slowness = async () => (await busyMs(frame, 0.5)) / (before[index] ?? 0);
    await expect.poll(slowness).toBeGreaterThan(SLOWDOWN / 2);
  }
}

async function addCheckoutFrame(page: Page): Promise<Frame> {
  const navigated = page.waitForEvent("framenavigated");
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement("iframe"), { src }));
  }, `${service.url}/checkout?clientId=${visits.merchant.clientId}`);
  return navigated;
}

/**
 * Returns a quantile of the time in ms of a short piece of work in the frame. The machine may do other work
 * meanwhile, so the quickest runs show its own speed.
 */
const busyMs = (frame: Frame, quantile: number): Promise<number> =>
  frame.evaluate((part) => {
    const times = Array.from({ length: 200 }, () => {
      const start = performance.now();
      let sum = 0;
      for (let step = 0; step < 500_000; step += 1) sum += step % 7;
      return sum > 0 ? performance.now() - start : 0;
    });
    return times.toSorted((one, other) => one - other)[times.length * part] ?? 0;
  }, quantile);

/** Returns the counts that are the same twice in a row: the browser frees some things a moment later. */
async function whatStays(page: Page, session: CDPSession): Promise<object> {
  let left = await whatIsLeft(page, session);
  const isSame = async (): Promise<boolean> => {
    const before = left;
    left = await whatIsLeft(page, session);
    return isDeepStrictEqual(left, before);
  };
  await expect.poll(isSame, { interval: 500 }).toBe(true);
  return left;
}

/** After the garbage is gone. */
async function whatIsLeft(page: Page, session: CDPSession): Promise<object> {
  // The event for the last frame comes a moment later.
  await expect.poll(() => page.frames().length).toBe(1);
  // The first collection may free an object that holds another. Only the second then frees that one.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const counts = metrics.filter(({ name }) => COUNTS.includes(name));
  return {
    ...Object.fromEntries(counts.map(({ name, value }) => [name, value])),
    history: await page.evaluate(() => [history.length, history.state]),
  };
}
