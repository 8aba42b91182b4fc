// Walks through every screen in Chromium, saves pictures and runs axe on each.
//   node dev/drive.mjs <folder> [journey] [size-theme]
import { mkdir } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { JOURNEYS } from "./journeys.mjs";
import { languages } from "./languages.mjs";

const folder = process.argv[2] ?? "shots";
const filter = new RegExp(process.argv[3] ?? ".");
const PORT = 8190;
const SIZES = [
  { name: "modal", width: 440, height: 1500, theme: "light" },
  { name: "phone", width: 360, height: 740, theme: "dark" },
  { name: "phone", width: 360, height: 740, theme: "light", only: /^(amount|steps|currency)$/ },
  { name: "modal", width: 440, height: 1500, theme: "dark", only: /^(amount|steps|worse)$/ },
  {
    name: "wide",
    width: 1280,
    height: 1000,
    frame: 1280,
    theme: "light",
    only: /^(amount|steps)$/,
  },
  { name: "narrow", width: 320, height: 640, theme: "light", only: /^(amount|steps)$/ },
];
const LANGUAGES = [
  { name: "ar", width: 440, height: 1500, theme: "light", locale: "ar" },
  { name: "ar-narrow", width: 320, height: 900, theme: "dark", locale: "ar-EG" },
  { name: "ar-forced", width: 440, height: 1500, theme: "dark", locale: "ar", forced: true },
  { name: "de-narrow", width: 320, height: 900, theme: "light", locale: "de" },
  { name: "de-forced", width: 440, height: 1500, theme: "light", locale: "de", forced: true },
  ...["fr", "es", "pt-BR", "it", "tr"].map((locale) => ({
    name: locale,
    width: 360,
    height: 1100,
    theme: "light",
    locale,
  })),
];
const sizeFilter = new RegExp(process.argv[4] ?? ".");

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let faults = 0;
for (const [name, journey] of Object.entries(JOURNEYS)) {
  if (!filter.test(name)) continue;
  for (const size of SIZES) {
    if (!sizeFilter.test(`${size.name}-${size.theme}`)) continue;
    if (size.only && !size.only.test(name)) continue;
    await walk({ name, journey, size, theme: size.theme });
  }
}
for (const size of filter.test("languages") ? LANGUAGES : []) {
  if (sizeFilter.test(`${size.name}-${size.theme}`)) {
    await walk({ name: "languages", journey: languages, size, theme: size.theme });
  }
}
await browser.close();
console.log(`${faults} faults`);
process.exitCode = faults ? 1 : 0;

async function walk({ name, journey, size, theme }) {
  const context = await browser.newContext({
    viewport: { width: size.width, height: size.height },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: size.locale ?? "en-US",
    forcedColors: size.forced ? "active" : "none",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(12_000);
  const complain = (text) => {
    faults += 1;
    console.log(`${name} ${size.name} ${theme}: ${text}`);
  };
  page.on("console", (message) => {
    const text = message.text();
    if (
      message.type() === "error" &&
      !/status of (4|5)|ERR_CONTENT|ERR_EMPTY|ERR_SOCKET|ERR_INTERNET|ERR_CONN/.test(text)
    )
      complain(text);
  });
  page.on("pageerror", (error) => complain(error.stack ?? error.message));
  const token = `${journey.scenario ?? "plain"}.${Math.random()}`;
  const query = new URLSearchParams({
    token,
    options: JSON.stringify(journey.options ?? { baseAmount: 100 }),
  });
  if (size.frame) query.set("width", String(size.frame));
  if (journey.fail) query.set("fail", "1");
  await page.goto(journey.url ?? `http://localhost:${PORT + 1}/?${query}`);
  const frame = journey.url ? page.mainFrame() : await contentFrame(page);
  const shoot = async (label) => {
    await page.waitForTimeout(120);
    await page.screenshot({ path: `${folder}/${label}-${size.name}-${theme}.png` });
    const { violations } = await new AxeBuilder({ page })
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .exclude("body > main")
      .analyze();
    for (const violation of violations) {
      const where = violation.nodes.map((node) => node.target.join(" ")).join(", ");
      if (
        /^(page-has-heading-one|landmark-one-main|region)$/.test(violation.id) &&
        !/iframe/.test(where)
      )
        continue;
      complain(`${label}: ${violation.id} at ${where}: ${violation.nodes[0]?.failureSummary}`);
    }
    const shown = journey.url ? frame : await contentFrame(page);
    const overflow = await shown.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (overflow > 0) complain(`${label}: ${overflow} px too wide`);
  };
  try {
    await journey.run({ page, frame, shoot, token, port: PORT });
  } catch (error) {
    complain(`stopped: ${error.message}`);
    await page.screenshot({
      path: `${folder}/STOPPED-${name}-${size.name}-${theme}.png`,
      fullPage: true,
    });
  }
  await context.close();
}

async function contentFrame(page) {
  const element = await page.waitForSelector("iframe");
  return element.contentFrame();
}
