import type { Locator, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser, LOOKS } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, payByBank, startPopupVisits } from "../support/browser/popup-visits.ts";
import { BITCOIN_ADDRESS } from "../support/orders/purchase.ts";

const service = inject("service");
const IBAN = "DE89 3704 0044 0532 0130 00";

let visits: PopupVisits;

describe.runIf(hasBrowser)("the popup's screens for coins and accounts", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  // Together they have both themes and both widths: each screen is looked at in every one of these.
  test.each(["desktop-light", "phone-dark"] as const)(
    "has nothing that axe finds wrong: %s",
    async (look) => {
      const faults: string[] = [];
      const examine = async (page: Page, name: string): Promise<void> => {
        faults.push(...(await axeFaults(page)).map((fault) => `${name}: ${fault}`));
      };
      const selling = await visits.visit("S", LOOKS[look], {});
      const sale = await visits.open(selling);
      await examine(selling, "sell-amount");
      await sale.continue();
      await sale.see("delivery");
      await examine(selling, "sell-delivery");
      await sale.frame.getByLabel(/^To a debit card/).check();
      await sale.continue();
      await sale.see("payout");
      await sale.continue();
      await sale.frame.getByText("Please check").waitFor();
      await examine(selling, "sell-payout-wrong");
      await sale.frame.getByLabel("Account holder's full name").fill("Ada Lovelace");
      await sale.button("Fill in").click();
      await sale.continue();
      await sale.see("review");
      await sale.button(/^Place order and see the address/).click();
      await sale.see("instructions");
      await sale.frame.getByRole("img", { name: /QR code/ }).waitFor();
      for (const summary of await sale.frame.locator("summary").all()) await summary.click();
      await examine(selling, "deposit");
      await visits.deposit({ orderId: await sale.orderNumber(), amount: 0.004 });
      await sale.see("underpaid");
      await sale.frame.getByText("Still missing").waitFor();
      await examine(selling, "underpaid");

      const buying = await visits.visit("B", LOOKS[look]);
      const purchase = await visits.open(buying);
      await payByBank(purchase);
      await examine(buying, "bank-transfer");
      await purchase.button("Cancel order").click();
      await purchase.frame.getByRole("heading", { name: "Cancel this order?" }).waitFor();
      await examine(buying, "cancel");
      expect(faults).toEqual([]);
    },
  );

  test("on a screen of 320 pixels and in text of twice the size nothing is cut off", async () => {
    const page = await visits.visit("S", { viewport: { width: 320, height: 640 } }, {});
    const checkout = await visits.open(page);
    const examine = async (name: string): Promise<void> => {
      const html = checkout.frame.locator("html");
      const over = () => html.evaluate((root) => root.scrollWidth - root.clientWidth);
      expect(await over(), name).toBe(0);
      await html.evaluate((root) => root.style.setProperty("font-size", "200%"));
      expect(await over(), `${name}, large`).toBe(0);
      await html.evaluate((root) => root.style.removeProperty("font-size"));
    };
    await examine("amount");
    await checkout.continue();
    await checkout.see("delivery");
    await examine("delivery");
    await checkout.continue();
    await checkout.see("payout");
    await examine("payout");
    await checkout.frame.getByLabel("Account holder's full name").fill("Ada Lovelace");
    await checkout.frame.getByLabel("IBAN").fill(IBAN);
    await checkout.continue();
    await checkout.see("review");
    await examine("review");
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    await checkout.frame.getByRole("img", { name: /QR code/ }).waitFor();
    await examine("deposit");
  });

  // Right to left in the device's few colours, and long words in a dark theme on a narrow screen.
  test.each([
    ["ar", { viewport: { width: 440, height: 900 }, forcedColors: "active" }],
    ["de", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ] as const)("a customer whose device speaks %s buys in it", async (locale, look) => {
    const page = await visits.visit("B", { ...look, locale, reducedMotion: "reduce" });
    const checkout = await openIn(page);
    const html = checkout.frame.locator("html");
    const faults: string[] = [];
    const examine = async (name: string): Promise<void> => {
      const over = await html.evaluate((root) => root.scrollWidth - root.clientWidth);
      if (over > 0) faults.push(`${name}: ${over} pixels too wide`);
      // A new screen takes no press for a moment, which is an animation that moves nothing.
      const moving = await html.evaluate(
        () =>
          document.getAnimations().filter((each) => Reflect.get(each, "animationName") !== "settle")
            .length,
      );
      if (moving > 0) faults.push(`${name}: ${moving} animations`);
    };
    expect(await html.getAttribute("lang")).toBe(locale);
    expect(await html.getAttribute("dir")).toBe(locale === "ar" ? "rtl" : "ltr");
    await examine("amount");
    const next = checkout.frame.locator("button.main-button");
    await next.click();
    await checkout.frame.getByRole("radio").first().waitFor();
    await examine("method");
    await next.click();
    const address = checkout.frame.locator("textarea");
    await address.fill(BITCOIN_ADDRESS);
    expect(await address.evaluate((field) => getComputedStyle(field).direction)).toBe("ltr");
    await next.click();
    await checkout.frame.locator("#card-number").waitFor();
    await next.click();
    await examine("card-wrong");
    faults.push(...(await axeFaults(page)));
    await checkout.frame.locator(".sandbox-line button").first().click();
    await next.click();
    await checkout.frame.locator(".headline").waitFor();
    await examine("review");
    expect(await untranslated(checkout.frame.locator("body"))).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a language that is picked takes effect at once and is kept over a reload", async () => {
    const page = await visits.visit("B");
    const checkout = await visits.open(page);
    const { frame } = checkout;
    await frame.getByLabel("You pay", { exact: true }).fill("1,234.50");
    await frame.getByLabel("Language").selectOption("Deutsch");
    await frame.getByRole("heading", { level: 1, name: "BTC kaufen" }).waitFor();
    expect(await frame.getByLabel("Sie zahlen", { exact: true }).inputValue()).toBe("1.234,5");
    await expect
      .poll(() => page.locator("[data-exchange] iframe").getAttribute("title"))
      .toMatch(/^BTC kaufen/);
    await frame.getByLabel("Sprache").selectOption("العربية");
    await frame.getByLabel("تدفع", { exact: true }).waitFor();
    expect(await frame.locator("html").getAttribute("dir")).toBe("rtl");
    await page.reload();
    await page.keyboard.press("Tab");
    const again = await openIn(page);
    expect(await again.frame.locator("html").getAttribute("lang")).toBe("ar");
  });

  test("an English customer loads no other language, and a German one loads only German", async () => {
    for (const [locale, loaded] of [
      ["en-GB", []],
      ["de-AT", ["locale-de-first", "locale-de-orders", "locale-de-steps"]],
    ] as const) {
      const page = await visits.visit("B", { locale });
      const texts: string[] = [];
      const requests: string[] = [];
      page.on("request", (request) => {
        if (!request.url().includes("/checkout")) return;
        requests.push(request.url());
        const name = /locale-[\w-]+?-(first|steps|orders)(?=-)/.exec(request.url())?.[0];
        if (name) texts.push(name);
      });
      await openIn(page);
      await expect.poll(() => texts.toSorted()).toEqual([...loaded]);
      const before = requests.slice(
        0,
        requests.findIndex((url) => url.includes("/v1/checkout")),
      );
      expect(before.length).toBeLessThanOrEqual(6);
    }
  });

  test("screens that could not be fetched are fetched again, and nothing typed is lost", async () => {
    const [checkout] = await openWithoutScreens();
    await checkout.button("Try again").click();
    await checkout.see("method");
    await checkout.frame.getByText("€100.00").first().waitFor();
  });

  test("screens that could not be fetched are fetched without a press once the device is online again", async () => {
    const [checkout, page] = await openWithoutScreens();
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await checkout.see("method");
  });

  test("screens that the network holds without an answer are given up after 15 seconds, and fetched again", async () => {
    const [checkout] = await openWithoutScreens(() => undefined);
    await checkout.button("Try again").click();
    await checkout.see("method");
  });

  /** Returns a checkout that says that it cannot be reached, although by now it can. */
  async function openWithoutScreens(cut = (route: Route): unknown => route.abort()) {
    const page = await visits.visit("B");
    let isCut = true;
    await page.route(/\/assets\/later-/, (route) => (isCut ? cut(route) : route.continue()));
    await page.clock.install();
    const checkout = await visits.open(page);
    await checkout.continue();
    await page.clock.fastForward(15_000);
    await checkout.frame.getByRole("heading", { name: "We can't reach checkout" }).waitFor();
    isCut = false;
    return [checkout, page] as const;
  }
});

/** Opens the popup by keyboard in any language, and waits for a price. */
async function openIn(page: Page): Promise<CheckoutPage> {
  await page.keyboard.press("Enter");
  const checkout = new CheckoutPage(page);
  await checkout.frame.locator(".price-line .price").waitFor();
  return checkout;
}

/** Words that stand in no other language: none may be left on a screen that is not English. */
const untranslated = async (body: Locator): Promise<string[]> =>
  (await body.innerText()).match(/\b(the|you|your|and|with|fee|pay|price|order)\b/gi) ?? [];
