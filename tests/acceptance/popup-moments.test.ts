import type { Locator, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser, LOOKS } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { CARDS } from "../support/orders/purchase.ts";

let visits: PopupVisits;

/** Presses twice at the place of an element, as a hand does that does not wait for the first press. */
async function pressTwice({ page }: CheckoutPage, element: Locator): Promise<void> {
  // A new screen takes no press at first.
  await element.click({ trial: true });
  const box = await element.boundingBox();
  if (!box) throw new Error("The element is not shown.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await page.waitForTimeout(100);
  }
}

/** The most that a dialog has of a window of 900 pixels. */
const HEIGHT_MOST = 792;

/** Notes the least height of the dialog from now on. */
function noteLeastHeight(): void {
  const dialog = document.querySelector("[data-exchange]")?.shadowRoot?.querySelector("dialog");
  const look = (): void => {
    const before = Reflect.get(window, "leastHeight") ?? Number.POSITIVE_INFINITY;
    const leastHeight = Math.min(before, dialog?.getBoundingClientRect().height ?? 0);
    Object.assign(window, { leastHeight });
    requestAnimationFrame(look);
  };
  look();
}

/** Holds the requests of a page. Returns how to let them go on as `end` says. */
async function hold(page: Page, address: RegExp, end: (route: Route) => Promise<void>) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.context().route(address, async (route) => {
    await released;
    await end(route);
  });
  return release;
}

describe.runIf(hasBrowser)("the moments between two screens of the popup", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(inject("service"));
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  test.each([
    ["amount", "method", "no-preference"],
    ["card", "review", "no-preference"],
    ["card", "review", "reduce"],
  ] as const)(
    "a double click on Continue of the screen %s stops at the screen %s: motion %s",
    async (from, next, reducedMotion) => {
      // On a phone the buttons of both screens are at the same place.
      const page = await visits.visit("B", { ...LOOKS["phone-light"], reducedMotion });
      const checkout = await visits.open(page);
      await checkout.goTo(from, CARDS.visa);
      await pressTwice(checkout, checkout.button("Continue"));
      await checkout.see(next);
      // The second press would have opened the next screen by now.
      await page.waitForTimeout(1_000);
      await checkout.see(next);
      expect(await checkout.frame.getByRole("alert").count()).toBe(0);
    },
  );

  test("at the press that pays no line of the order moves, and the dialog keeps its height while the bank decides", async () => {
    const page = await visits.visit("B", { reducedMotion: "reduce" });
    const checkout = await visits.open(page);
    await checkout.goTo("review", CARDS.visa);
    const { frame } = checkout;
    // From the heading: a press may scroll the screen.
    const linesAt = () =>
      frame.locator("h1, dt").evaluateAll((lines) => {
        const [heading = 0, ...others] = lines.map((line) => line.getBoundingClientRect().y);
        return others.map((place) => Math.round(place - heading));
      });
    const stepAt = async () => (await frame.locator(".progress span").first().boundingBox())?.x;
    const before = await linesAt();
    const stepBefore = await stepAt();
    await page.evaluate(noteLeastHeight);
    await page.context().route(/\/v1\/checkout\/orders$/, async (route) => {
      await page.waitForTimeout(1_500);
      await route.continue();
    });
    // The bank decides as long as nothing is heard of the order.
    await page.context().route(/\/v1\/checkout\/orders\/\d+/, () => {});
    await checkout.pay();
    await checkout.button(/^Placing your order/).waitFor();
    expect(await linesAt()).toEqual(before);
    expect(await stepAt()).toBe(stepBefore);
    await frame.getByRole("heading", { name: "Checking with your bank" }).waitFor();
    // A dialog takes 200 ms to change its height.
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => Reflect.get(window, "leastHeight"))).toBe(HEIGHT_MOST);
  });

  test("while the page fetches its token, the dialog keeps its height and can be closed", async () => {
    const page = await visits.visit("B");
    await page.evaluate(() => {
      const authenticationToken = new Promise<never>(() => {});
      void window.exchange.init({ operationType: "B", authenticationToken } as never);
    });
    await expect.poll(() => page.evaluate(() => window.exchange.state)).toBe("connecting");
    // The checkout is loaded, and a dialog takes 200 ms to change its height.
    await page.waitForTimeout(1_000);
    const dialog = page.getByRole("dialog");
    expect((await dialog.boundingBox())?.height).toBe(640);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.evaluate(() => window.exchange.state)).toBe("idle");
  });

  test("the first price of a fixed purchase comes into a place that was free, so the field of the address stays", async () => {
    const lock = {
      operationType: "B",
      baseCurrency: "eur",
      baseAmount: 100,
      targetCurrency: "btc",
    };
    const page = await visits.visit("B", { ...LOOKS["phone-light"] }, lock);
    const release = await hold(page, /\/v1\/checkout\/quotes$/, (route) => route.continue());
    await page.keyboard.press("Enter");
    const { frame } = new CheckoutPage(page);
    const address = frame.locator("#wallet-address");
    const before = await address.boundingBox();
    release();
    await frame.locator(".deal").waitFor();
    const after = await address.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(8);
  });

  test("until the marks of currencies arrive their places are empty, and initials stand there if none can be fetched", async () => {
    const page = await visits.visit("S", LOOKS["phone-light"]);
    const fail = await hold(page, /\/marks-[\w-]+\.js$/, (route) => route.abort());
    const { frame } = await visits.open(page);
    expect(await frame.locator(".disc").count()).toBe(2);
    expect(await frame.locator("[data-letter]").count()).toBe(0);
    fail();
    await frame.locator("[data-letter=B]").waitFor();
    await frame.locator("[data-letter=E]").waitFor();
  });

  test("the first prices of a fixed sale come into places that were free, so every way to be paid stays", async () => {
    const lock = {
      operationType: "S",
      baseCurrency: "btc",
      baseAmount: 0.01,
      targetCurrency: "eur",
    };
    const page = await visits.visit("S", LOOKS["phone-light"], lock);
    const release = await hold(page, /\/v1\/checkout\/quotes$/, (route) => route.continue());
    await page.keyboard.press("Enter");
    const { frame } = new CheckoutPage(page);
    const choices = frame.locator(".choice");
    await choices.first().waitFor();
    const places = () =>
      choices.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().y));
    const before = await places();
    release();
    await frame.locator(".chip").waitFor();
    const moves = (await places()).map((y, place) => y - (before[place] ?? 0));
    expect(moves.length).toBeGreaterThan(2);
    expect(Math.max(...moves.map(Math.abs))).toBeLessThan(2);
    expect(Math.max(...moves) - Math.min(...moves)).toBeLessThan(1);
  });

  test.each(["Enter", "Space"])(
    "%s held down on Continue of the card does not pay",
    async (key) => {
      const page = await visits.visit("B", LOOKS["phone-light"]);
      const checkout = await visits.open(page);
      await checkout.goTo("card", CARDS.visa);
      await checkout.button("Continue").focus();
      for (let n = 0; n < 12; n += 1) {
        await page.keyboard.down(key);
        await page.waitForTimeout(50);
      }
      await page.keyboard.up(key);
      await page.keyboard.press(key);
      await page.keyboard.press(key);
      await page.waitForTimeout(1_000);
      await checkout.see("review");
    },
  );

  test("a checkout in a part of the page leaves the focus in the page's field, where the customer types while it loads", async () => {
    const page = await visits.visit("B");
    await page.evaluate(() => {
      const field = document.createElement("input");
      field.id = "field";
      document.body.append(field);
      const container = document.querySelector("main");
      const authenticationToken = new Promise((resolve) => {
        Object.assign(window, {
          giveToken: () => resolve(new URLSearchParams(location.search).get("token")),
        });
      });
      void window.exchange.init({ operationType: "B", container, authenticationToken } as never);
    });
    await expect.poll(() => page.evaluate(() => window.exchange.state)).toBe("connecting");
    await page.waitForTimeout(500);
    await page.locator("#field").focus();
    await page.evaluate(() => Reflect.get(window, "giveToken")());
    await expect.poll(() => page.evaluate(() => window.exchange.state)).toBe("open");
    await page.waitForTimeout(2_000);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("field");
  });
});
