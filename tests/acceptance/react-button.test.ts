import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type ReactShop, startReactShop } from "../support/browser/react-shop.ts";
import { createMerchant, createToken, newSessionId } from "../support/orders/merchant.ts";

const service = inject("service");

describe.runIf(hasBrowser)("a button of @exchange/react", () => {
  let browser: Browser;
  let shop: ReactShop;

  beforeAll(async () => {
    [browser, shop] = await Promise.all([openBrowser(), startReactShop(service)]);
  });
  afterAll(async () => {
    await closePages(browser);
    shop.close();
  });

  test("opens the popup with its options under a strict policy, and gets the focus and the result back", async () => {
    const merchant = await createMerchant(service, shop.origin);
    const customer = { countryCode: "CA" };
    const created = await createToken(service, merchant, { sessionId: newSessionId(), customer });
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(shop.addressFor(merchant.clientId, created.body.data.accessToken));
    expect(await page.evaluate("reactVersion")).toMatch(/^18\./);

    const button = page.getByRole("button", { name: "Buy" });
    await button.press("Enter");
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    expect(
      await checkout.frame
        .getByLabel(/^You (pay|give|spend)/)
        .first()
        .inputValue(),
    ).toBe("250");
    expect(await button.getAttribute("data-state")).toBe("open");
    await page.keyboard.press("Escape");
    await expect.poll(() => button.getAttribute("data-state")).toBe("closed");
    expect(await page.evaluate("results")).toEqual([{ outcome: "closed", reason: "escape" }]);
    expect(await button.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  });
});
