import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { FAST, openShop, SLOW } from "./lab.mjs";
import { rowOf } from "./rows.mjs";

const SCORE_MIN = 95;
const ROUNDS = 3;
const VERSION = "12.8.2";
const CATEGORIES = ["performance", "accessibility", "best-practices"];

/** Measures Lighthouse's scores of the checkout in the window that the script opens, in the lab profile. */
export async function measureLighthouse(lab, { folder, progress }) {
  const tools = await findLighthouse(folder);
  const port = 9_000 + Math.floor(Math.random() * 900);
  const browser = await lab.launch(`--remote-debugging-port=${port}`);
  const scores = [];
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      scores.push(await score({ ...lab, browser }, tools, port));
      progress(
        `Lighthouse ${round} of ${ROUNDS}: ${CATEGORIES.map((each) => scores.at(-1)[each]).join(", ")}`,
      );
    }
  } finally {
    await browser.close();
  }
  for (const line of scores.at(-1).complaints) progress(line);
  return CATEGORIES.map((category) =>
    rowOf({
      row: `Lighthouse ${category}`,
      figures: scores.map((each) => each[category]),
      unit: "",
      limit: SCORE_MIN,
      least: true,
    }),
  );
}

/** Lighthouse brings a hundred packages and a crash reporter, so it is not a dependency of ours. */
async function findLighthouse(folder) {
  try {
    const require = createRequire(path.resolve(folder, "package.json"));
    const load = (name) => import(pathToFileURL(require.resolve(name)).href);
    const [lighthouse, puppeteer] = await Promise.all([load("lighthouse"), load("puppeteer-core")]);
    return { lighthouse: lighthouse.default, puppeteer: puppeteer.default };
  } catch (error) {
    const how = `npm install --ignore-scripts --prefix ${folder} lighthouse@${VERSION}`;
    throw new Error(`Lighthouse is not in ${folder}; install it with: ${how}`, { cause: error });
  }
}

async function score(lab, { lighthouse, puppeteer }, port) {
  const { context, page } = await openShop(lab, FAST, { display: "popup" });
  const [popup] = await Promise.all([context.waitForEvent("page"), page.locator("#buy").click()]);
  // The checkout moves the fragment of its address into the history state.
  const address = await popup
    .waitForFunction(() => history.state?.hash && location.href + history.state.hash)
    .then((handle) => handle.jsonValue());
  const driver = await puppeteer.connect({
    browserURL: `http://127.0.0.1:${port}`,
    defaultViewport: null,
  });
  const target = await driver.waitForTarget((each) => each.url().includes("/checkout?"));
  const { lhr } = await lighthouse(address, FLAGS, undefined, await target.page());
  await driver.disconnect();
  await context.close();
  return { ...scoresOf(lhr), complaints: complaintsOf(lhr) };
}

const FLAGS = {
  onlyCategories: CATEGORIES,
  formFactor: "mobile",
  throttlingMethod: "devtools",
  throttling: {
    cpuSlowdownMultiplier: SLOW.cpu,
    requestLatencyMs: SLOW.latencyMs,
    downloadThroughputKbps: SLOW.bitsPerSecond / 1_000,
    uploadThroughputKbps: SLOW.bitsPerSecond / 1_000,
  },
  // The page that opened the window holds the checkout's token in its storage.
  disableStorageReset: true,
};

const scoresOf = ({ categories }) =>
  Object.fromEntries(CATEGORIES.map((id) => [id, Math.round(categories[id].score * 100)]));

/** Returns the audits that cost points, in Lighthouse's words. */
const complaintsOf = ({ categories, audits }) =>
  CATEGORIES.flatMap((id) => categories[id].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 0.9)
    .map(({ id }) => `  ${id}: ${audits[id].title} ${audits[id].displayValue ?? ""}`);
