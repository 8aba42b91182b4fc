import { mkdirSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { hasBrowser, launchBrowser } from "../support/browser/browser.ts";
import { NOW } from "./answers.ts";
import { startCheckout } from "./checkout.ts";
import {
  describeMachine,
  differsFromReferences,
  fontVariables,
  type MachineDifference,
  storeMachine,
} from "./machine.ts";
import { openReferences, REFERENCES } from "./references.ts";
import { SCREENS, STATES } from "./scenes/scenes.ts";

const PHONE = { width: 360, height: 640 };

/** The customers' views of the checkout: every width, both themes, and a language from right to left. */
const LOOKS = {
  "phone-light": { viewport: PHONE, colorScheme: "light", locale: "en-US" },
  "phone-dark-arabic": { viewport: PHONE, colorScheme: "dark", locale: "ar" },
  "modal-dark": { viewport: { width: 440, height: 640 }, colorScheme: "dark", locale: "en-US" },
  "desktop-light": {
    viewport: { width: 1280, height: 720 },
    colorScheme: "light",
    locale: "en-US",
  },
} as const satisfies Record<string, BrowserContextOptions>;
type Look = keyof typeof LOOKS;

/** These looks have one picture a screen. The states of a screen differ there as they do on a phone. */
const SCREENS_ONLY: readonly Look[] = ["modal-dark", "desktop-light"];

/** Set by `npm run visual -- --update`: the pictures become the references. */
const update = process.env["EXCHANGE_VISUAL_UPDATE"] === "true";
const mustCompare = process.env["CI"] === "true";

/** Other fonts set other pixels, which says nothing about the checkout. */
const isCompared = (): boolean => mustCompare || machineDifference.isBrowserOnly;

let browser: Browser;
let machineDifference: MachineDifference;

describe.runIf(hasBrowser)("the checkout's screens", () => {
  beforeAll(async () => {
    // The coloured edges of LCD text depend on the screen, and font hints move edges by fractions of a pixel.
    browser = await launchBrowser(
      ["--disable-lcd-text", "--font-render-hinting=none"],
      fontVariables(),
    );
    const machine = await describeMachine(browser);
    if (update) {
      mkdirSync(REFERENCES, { recursive: true });
      storeMachine(machine);
    }
    machineDifference = differsFromReferences(machine);
    if (machineDifference.words === "") return;
    const consequence = isCompared() ? "MAY DIFFER" : "ARE NOT COMPARED";
    console.warn(`\n!!! THE PICTURES OF THE CHECKOUT ${consequence}: ${machineDifference.words}\n`);
  });
  afterAll(() => browser.close());

  test.concurrent.for(Object.keys(LOOKS) as Look[])(
    "look as their pictures: %s",
    async (look, { skip, expect }) => {
      skip(!isCompared(), machineDifference.words);
      expect(await faultsOf(look)).toEqual([]);
    },
  );
});

/** Plays every scene in this look. Returns a sentence for each picture that differs from its reference. */
async function faultsOf(look: Look): Promise<string[]> {
  const context = await browser.newContext({
    ...LOOKS[look],
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
  });
  context.setDefaultTimeout(60_000);
  const checkout = await startCheckout();
  const page = await context.newPage();
  // The pipeline is as strict with any browser: whoever updates its browser looks at the pictures.
  const isOtherBrowser = machineDifference.words !== "" && !mustCompare;
  const references = openReferences(look, { update, isOtherBrowser });
  const faults: string[] = [];
  const shoot = async (name: string): Promise<void> => {
    const fault = references.compare(name, await pictureOf(page, LOOKS[look].viewport));
    if (fault) faults.push(fault);
  };
  const isWhole = !SCREENS_ONLY.includes(look);
  const shootState = async (name: string): Promise<void> => {
    if (isWhole) await shoot(name);
  };
  for (const scene of isWhole ? [...SCREENS, ...STATES] : SCREENS) {
    // A late request of the previous scene must not get the answers of this one, nor may its choices be stored.
    if (page.url() !== "about:blank") await page.evaluate(() => sessionStorage.clear());
    await page.goto("about:blank");
    await page.clock.setFixedTime(NOW);
    await page.goto(checkout.addressFor(scene));
    await scene.play({ page, shoot, shootState, answer: checkout.answer });
  }
  await context.close();
  checkout.close();
  return [...faults, ...references.unused()];
}

/** Takes the whole screen in a window as tall as the screen, so that nothing is scrolled out of sight. */
async function pictureOf(page: Page, { width, height }: { width: number; height: number }) {
  // The picture before may have needed a taller window, which a screen of a phone would fill.
  await page.setViewportSize({ width, height });
  // Marks of currencies come after the screen. Only XLM has none and keeps its letter.
  const pending = page.locator(".disc:not(.mark, .disc-1[data-letter=X])");
  await pending.first().waitFor({ state: "detached" });
  const content = await page.evaluate(async () => {
    await document.fonts.ready;
    // Effects after a frame, such as the focus on a wrong field, are then done.
    await new Promise((drawn) => requestAnimationFrame(drawn));
    await new Promise((drawn) => requestAnimationFrame(drawn));
    await new Promise((later) => setTimeout(later));
    const checkout = document.querySelector("#checkout");
    return Math.ceil(checkout?.getBoundingClientRect().height ?? 0);
  });
  // A button under the pointer looks different.
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width, height: Math.max(height, content) });
  return page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
}
