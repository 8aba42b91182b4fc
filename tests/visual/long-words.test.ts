import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, openBrowser, openPage } from "../support/browser/browser.ts";
import { NOW } from "./answers.ts";
import { startCheckout } from "./checkout.ts";
import { SCREENS, STATES } from "./scenes/scenes.ts";

const PHONE = { viewport: { width: 360, height: 640 }, timezoneId: "Europe/Berlin" };
const GERMAN = { ...PHONE, locale: "de-DE" };

/** The screens of a phone in a language with long words. */
describe.runIf(hasBrowser)("on a narrow phone", () => {
  let browser: Browser;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  beforeAll(async () => {
    browser = await openBrowser();
    checkout = await startCheckout();
  });
  afterEach(() => closePages(browser));
  afterAll(() => checkout.close());

  /** Plays a scene, and returns its page as it is when it takes the picture of the name. */
  async function play(name: string, look: object, picture = name): Promise<Page> {
    const scene = [...SCREENS, ...STATES].find((each) => each.name === name);
    if (!scene) throw new Error(`there is no scene ${name}`);
    const page = await openPage(browser, look);
    await page.clock.setFixedTime(NOW);
    await page.goto(checkout.addressFor(scene));
    await new Promise<void>((resolve, reject) => {
      const shoot = (taken: string): Promise<void> => {
        if (taken !== picture) return Promise.resolve();
        resolve();
        return new Promise(() => {});
      };
      scene.play({ page, shoot, shootState: shoot, answer: checkout.answer }).catch(reject);
    });
    return page;
  }

  test("an amount of money stands beside its label, even where the label breaks", async () => {
    const page = await play("review-worse", GERMAN);
    const rows = await page.locator(".receipt .row").evaluateAll((all) =>
      all.map((row) => {
        const [label, value] = [row.querySelector("dt"), row.querySelector("dd")];
        const top = (part: Element | null) => part?.getBoundingClientRect().top ?? 0;
        return Math.abs(top(label) - top(value));
      }),
    );
    expect(rows.length).toBeGreaterThan(4);
    expect(Math.max(...rows)).toBeLessThan(4);
  });

  test("four long operations are two rows of two", async () => {
    const page = await play("amount-operations", GERMAN, "amount-operations-coloured-ignored");
    const tops = await page
      .locator(".tab")
      .evaluateAll((tabs) => tabs.map((tab) => Math.round(tab.getBoundingClientRect().top)));
    expect(tops).toEqual([tops[0], tops[0], tops[2], tops[2]]);
    expect(tops[2]).toBeGreaterThan(tops[0] ?? 0);
  });

  test("a short address in a sentence is whole", async () => {
    const page = await play("status-completed", GERMAN);
    const lead = page.locator(".outcome .lead");
    for (let width = 300; width < 400; width += 5) {
      await page.setViewportSize({ width, height: 640 });
      const lines = await lead.evaluate(({ firstChild }) => {
        const letters = firstChild?.textContent ?? "";
        const range = document.createRange();
        range.setStart(firstChild as Node, letters.indexOf("bc1qw508"));
        range.setEnd(firstChild as Node, letters.indexOf("v8f3t4") + 6);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      });
      expect(lines, `${width} pixels`).toBe(1);
    }
  });

  test("an amount in a heading is whole on the narrowest phone with text of 200 %", async () => {
    const page = await play("status-completed", { ...PHONE, locale: "en-US" });
    await page.setViewportSize({ width: 320, height: 640 });
    const [words, line] = await page.locator("h1").evaluate((heading) => {
      document.documentElement.style.fontSize = "200%";
      return [heading.scrollWidth, heading.clientWidth];
    });
    expect(words).toBeLessThanOrEqual(line ?? 0);
  });

  test("an amount on the review is whole, and no figure is cut off, on the narrowest phone with text of 200 %", async () => {
    const page = await play("review-bank", { ...PHONE, locale: "en-US" });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    });
    const lines = await page.locator(".headline bdi").evaluateAll((amounts) =>
      amounts.map(({ firstChild }) => {
        const [figure = "", ...others] = firstChild?.textContent?.match(/\S*\d\S*/g) ?? [];
        const range = document.createRange();
        const start = firstChild?.textContent?.indexOf(figure) ?? 0;
        range.setStart(firstChild as Node, start);
        range.setEnd(firstChild as Node, start + figure.length);
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
        return new Set(tops).size + others.length;
      }),
    );
    expect(lines).toEqual([1, 1]);
    const ends = await page
      .locator("dd")
      .evaluateAll((values) => values.map((value) => value.getBoundingClientRect().right));
    expect(Math.max(...ends)).toBeLessThanOrEqual(320 - 20);
  });

  test("an address whose network is not chosen is not said to be on a network", async () => {
    const page = await play("wallet-networks", GERMAN);
    const warning = await page.locator(".notice-warning").innerText();
    expect(warning).toContain("Prüfen Sie, ob dies Ihre USDT-Adresse ist.");
    expect(warning).not.toContain("Netzwerk");
  });

  test("nothing moves in a window that has timed out, and one link leads to the order's page", async () => {
    const page = await play("status-timed-out", {
      ...PHONE,
      locale: "en-US",
      reducedMotion: "no-preference",
    });
    expect(await page.locator(".spinner").count()).toBe(0);
    const moving = await page.locator(".step-now .step-mark").evaluate((mark) => {
      return getComputedStyle(mark, "::after").animationName;
    });
    expect(moving).toBe("none");
    const links = page.getByRole("link", { name: "Open the page of this order" });
    expect(await links.count()).toBe(1);
  });
});
