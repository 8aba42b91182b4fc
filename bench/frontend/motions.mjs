import { openShop, seePrice } from "./lab.mjs";
import { rowOf } from "./rows.mjs";

const FRAME_MS = 1_000 / 60;
const ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const PROFILES = [
  { cpu: 1, lateMax: 0.1 },
  { cpu: 4, lateMax: 0.6 },
];
const DESKTOP = { width: 1_280, height: 900 };
const SHIFT_MAX = 0.02;

const TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline"];

/**
 * Measures the frames while steps slide and the dialog grows with them. The page and its frame share a process, so the
 * work of both is in one thread. A frame counts by the processor time that its thread used for it, because on a busy
 * machine a short frame waits long.
 */
export async function measureMotions(lab, { rounds, progress }) {
  const rows = [];
  for (const { cpu, lateMax } of PROFILES) {
    const walks = [];
    for (let round = 1; round <= rounds; round++) walks.push(await walk(lab, { cpu }));
    const at = `at ${cpu} times CPU`;
    const late = walks.map(({ frames }) => shareOfLong(frames));
    const shown = walks.map(
      ({ frames }) => `${Math.round(Math.max(...frames))} of ${frames.length}`,
    );
    progress(`longest frame in ms, of all frames, ${at}: ${shown.join(", ")}`);
    const shifts = walks.map(({ shift }) => shift);
    rows.push(
      rowOf({ row: `moving: frames over 16.7 ms, ${at}`, figures: late, unit: "", limit: lateMax }),
      rowOf({ row: `moving: layout shift, ${at}`, figures: shifts, unit: "", limit: SHIFT_MAX }),
    );
  }
  return rows;
}

const shareOfLong = (frames) => frames.filter((ms) => ms > FRAME_MS).length / frames.length;

/** Goes from the amount to the card and two steps back. */
async function walk(lab, profile) {
  const { context, page } = await openShop(lab, profile, {
    script: watchShifts,
    viewport: DESKTOP,
  });
  await page.locator("#buy").click();
  const checkout = await seePrice(page);
  const [, frame] = page.frames();
  const move = async (selector, until) => {
    await checkout.locator(selector).first().click();
    await checkout.locator(until).first().waitFor();
    await settle(page, frame);
  };
  await settle(page, frame);
  await lab.browser.startTracing(page, { categories: TRACED });
  await move(".main .main-button", ".choices");
  await move(".main .main-button", "#wallet-address");
  await checkout.locator("#wallet-address").fill(ADDRESS);
  await checkout.locator(".check .good").waitFor();
  await move(".main .main-button", "#card-number");
  await move(".back", "#wallet-address");
  await move(".back", ".choices");
  const { traceEvents } = JSON.parse(String(await lab.browser.stopTracing()));
  const shift = await frame.evaluate(() => window.shift);
  await context.close();
  return { frames: framesOf(traceEvents), shift };
}

/** Returns the milliseconds of processor time that the page's thread used for each frame: its tasks between two commits. */
function framesOf(events) {
  const { tid, pid } = events.find(({ name }) => name === "Layout");
  const own = events
    .filter((event) => event.tid === tid && event.pid === pid && event.ph === "X")
    .sort((one, other) => one.ts - other.ts);
  const frames = [0];
  for (const { name, tdur = 0 } of own) {
    if (name === "Commit") frames.push(0);
    // The commit is a part of its task, which began before it.
    if (name === "RunTask") frames[frames.length - 1] += tdur / 1_000;
  }
  return frames;
}

/** Waits until neither the page nor the frame animates. */
async function settle(page, frame) {
  const isStill = () => {
    const root = document.querySelector("[data-exchange]")?.shadowRoot;
    return document.getAnimations().length + (root?.getAnimations().length ?? 0) === 0;
  };
  for (const each of [frame, page, frame]) await each.waitForFunction(isStill);
}

/**
 * Runs in every document: sums the layout shifts of the screens. A shift soon after a click counts too, since what moves
 * then is what the customer is about to read. The footer below the screen goes with its height.
 */
function watchShifts() {
  window.shift = 0;
  const isOfScreen = ({ node }) => node instanceof Element && node.closest(".main") !== null;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.sources.some(isOfScreen)) window.shift += entry.value;
    }
  }).observe({ type: "layout-shift", buffered: true });
}
