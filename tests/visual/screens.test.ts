import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { hasBrowser, launchBrowser } from "../support/browser/browser.ts";
import { NOW } from "./answers.ts";
import { startCheckout } from "./checkout.ts";
import { fontVariables } from "./fonts.ts";
import { LOOKS, type Look, SCREENS_ONLY } from "./looks.ts";
import {
  describeMachine,
  differsFromReferences,
  keepMachine,
  type MachineDifference,
} from "./machine.ts";
import { openReferences, REFERENCES } from "./references.ts";
import { SCREENS, STATES } from "./scenes/scenes.ts";

/** Set by `npm run visual -- --update`: what is seen becomes the reference. */
const update = process.env["EXCHANGE_VISUAL_UPDATE"] === "true";
const mustCompare = process.env["CI"] === "true";

/** Other fonts set other pixels: that says nothing of the checkout. */
const isCompared = (): boolean => mustCompare || elsewhere.isBrowserOnly;

let browser: Browser;
let elsewhere: MachineDifference;

describe.runIf(hasBrowser)("the checkout's screens", () => {
  beforeAll(async () => {
    // Coloured edges of letters are of the screen, and a hint moves them by fractions of a pixel.
    browser = await launchBrowser(
      ["--disable-lcd-text", "--font-render-hinting=none"],
      fontVariables(),
    );
    const machine = await describeMachine(browser);
    if (update) {
      mkdirSync(REFERENCES, { recursive: true });
      keepMachine(machine);
    }
    elsewhere = differsFromReferences(machine);
    if (elsewhere.words === "") return;
    const fate = isCompared() ? "MAY DIFFER" : "ARE NOT COMPARED";
    console.warn(`\n!!! THE PICTURES OF THE CHECKOUT ${fate}: ${elsewhere.words}\n`);
  });
  afterAll(() => browser.close());

  test.concurrent.for(Object.keys(LOOKS) as Look[])(
    "look as their pictures: %s",
    async (look, { skip, expect }) => {
      skip(!isCompared(), elsewhere.words);
      expect(await faultsOf(look)).toEqual([]);
    },
  );
});

/** Plays every scene in this look; what is not as its reference, in sentences. */
async function faultsOf(look: Look): Promise<string[]> {
  const context = await browser.newContext({
    ...LOOKS[look],
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
  });
  context.setDefaultTimeout(20_000);
  const checkout = await startCheckout();
  const page = await context.newPage();
  // The pipeline is as strict with any browser: whoever changes it looks at the pictures.
  const isOtherBrowser = elsewhere.words !== "" && !mustCompare;
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
    // What belongs to the scene before must not answer this one.
    await page.goto("about:blank");
    await page.clock.setFixedTime(NOW);
    await page.goto(checkout.addressFor(scene));
    await scene.play({ page, shoot, shootState, answer: checkout.answer });
  }
  await context.close();
  checkout.close();
  return [...faults, ...references.unused()];
}

/** The whole screen in a window that is as tall as it, so that nothing is scrolled out of sight. */
async function pictureOf(page: Page, { width, height }: { width: number; height: number }) {
  const content = await page.evaluate(async () => {
    await document.fonts.ready;
    const checkout = document.querySelector("#checkout");
    return Math.ceil(checkout?.getBoundingClientRect().height ?? 0);
  });
  // Under the pointer a button looks different.
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width, height: Math.max(height, content) });
  return page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
}
