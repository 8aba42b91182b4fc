import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { closePages, hasBrowser, LOOKS, openBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PageServer, servePages } from "../support/browser/page-server.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";
import { CARDS, type Customer, startSession } from "../support/orders/purchase.ts";

const service = inject("service");
const INVALID = "This checkout link isn't valid";
const ORPHANED = /lost its connection to the shop/;

let browser: Browser;
let shop: ShopPage;
let merchant: Merchant;
/** A site that is not the merchant's, and one of the merchant's that isolates itself. */
let foreign: PageServer;

describe.runIf(hasBrowser)("the display modes", () => {
  beforeAll(async () => {
    browser = await openBrowser();
    shop = await startShopPage(service);
    merchant = await createMerchant(service, shop.origin);
    const body = "<!doctype html><title>Foreign</title><h1>Foreign</h1>";
    foreign = await servePages("127.0.0.1", () => ({ body }));
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await closePages(browser);
    shop.close();
    foreign.close();
  });

  async function newPage(look: keyof typeof LOOKS = "desktop-light"): Promise<Page> {
    const context = await browser.newContext(LOOKS[look]);
    context.setDefaultTimeout(60_000);
    return context.newPage();
  }

  /** The shop's page for a customer; its button opens the checkout this way. */
  async function visit(customer: Customer, options: object, look?: keyof typeof LOOKS) {
    const page = await newPage(look);
    await page.goto(shop.addressFor(merchant.clientId, customer.token, options));
    return page;
  }
  const press = (page: Page) => page.getByRole("button", { name: "Buy" }).click();
  /** The checkout in a window of its own, or in place of the shop. */
  const asPage = (page: Page): CheckoutPage =>
    Object.assign(new CheckoutPage(page), { frame: page });

  /** Posts a form as a page of any site could. */
  async function post(page: Page, fields: Record<string, string>): Promise<void> {
    const action = `${service.url}/checkout?clientId=${merchant.clientId}&mode=redirect`;
    await page.evaluate(
      ([address, values]) => {
        const form = document.createElement("form");
        form.method = "post";
        form.action = address;
        for (const [name, value] of Object.entries(values)) {
          const input = document.createElement("input");
          Object.assign(input, { name, value });
          form.append(input);
        }
        document.body.append(form);
        form.submit();
      },
      [action, fields] as const,
    );
    await page.waitForURL(action);
  }

  test("a redirect survives reloads, and leads back with the order", async () => {
    const customer = await startSession(service, merchant);
    const returnUrl = `${shop.origin}/thanks?cart=7`;
    const page = await visit(customer, { display: "redirect", returnUrl });
    await press(page);
    const checkout = asPage(page);
    await checkout.see("amount");
    expect(await axeFaults(page)).toEqual([]);
    await page.reload();
    await checkout.see("amount");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await checkout.goTo("review", CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
    const orderId = await checkout.orderNumber();
    await page.reload();
    await checkout.see("done");
    await checkout.button(/^(Done|Back to )/).click();
    await page.waitForURL(/exchange_outcome/);
    expect(page.url()).toBe(
      `${returnUrl}&exchange_outcome=paid&exchange_session=${customer.sessionId}&exchange_order=${orderId}`,
    );
    expect(requests.filter((url) => url.includes(customer.token))).toEqual([]);
    // Back does not lead to a checkout that is over.
    await page.goBack();
    expect(new URL(page.url()).origin).toBe(shop.origin);
  });

  test("a redirected customer may leave, and the shop hears that nothing was placed", async () => {
    const customer = await startSession(service, merchant);
    const page = await visit(customer, { display: "redirect" }, "phone-light");
    const left = page.url();
    await press(page);
    await asPage(page).see("amount");
    await page.keyboard.press("Escape");
    await asPage(page).see("amount");
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(/exchange_outcome/);
    expect(page.url()).toBe(
      `${left}&exchange_outcome=closed&exchange_session=${customer.sessionId}`,
    );
  });

  test("a form of another site, with a hostile way back or without a token opens nothing", async () => {
    const { token } = await startSession(service, merchant);
    const page = await newPage();
    const seen: string[] = [];
    page.on("request", (request) => seen.push(request.url()));
    for (const [from, fields] of [
      [`${foreign.origin}/`, { token, returnUrl: shop.origin }],
      [shop.origin, { token, returnUrl: `${foreign.origin}/` }],
      [shop.origin, { token, returnUrl: "javascript:alert(1)" }],
      [shop.origin, { token: "", returnUrl: shop.origin }],
    ] as const) {
      await page.goto(from);
      await post(page, fields);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText(INVALID).first().waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    }
    expect(seen.filter((url) => url.includes("/v1/"))).not.toContain(
      `${service.url}/v1/checkout/session`,
    );
    expect(await axeFaults(page)).toEqual([]);
  });

  test("a window works like the modal, and is closed with it", async () => {
    const page = await visit(await startSession(service, merchant), { display: "popup" });
    const [popup] = await Promise.all([page.waitForEvent("popup"), press(page)]);
    const checkout = asPage(popup);
    await checkout.see("amount");
    const opener = encodeURIComponent(shop.origin);
    expect(popup.url()).toBe(
      `${service.url}/checkout?clientId=${merchant.clientId}&mode=popup&origin=${opener}&theme=light+dark`,
    );
    await popup.reload();
    await checkout.see("amount");
    await checkout.button("Close").click();
    await expect.poll(() => popup.isClosed()).toBe(true);
    await expect.poll(() => page.evaluate("exchange.state")).toBe("idle");
  });

  test("a window that another site opened says nothing to it", async () => {
    const page = await newPage();
    await page.goto(`${foreign.origin}/`);
    for (const mode of ["popup", "modal"]) {
      const hash = `i=12345678901234567890&o=${encodeURIComponent(new URL(`${foreign.origin}/`).origin)}`;
      const address = `${service.url}/checkout?clientId=${merchant.clientId}&mode=${mode}#${hash}`;
      const [popup] = await Promise.all([
        page.waitForEvent("popup"),
        page.evaluate((url) => {
          const heard: unknown[] = [];
          Object.assign(window, { heard });
          addEventListener("message", ({ data }) => heard.push(data));
          open(url, "_blank", "popup");
        }, address),
      ]);
      await popup.getByText(INVALID).first().waitFor();
      expect(await page.evaluate("heard")).toEqual([]);
      await popup.close();
    }
  });

  test("a window that lost its shop says what to do", async () => {
    const page = await newPage();
    const hash = `i=12345678901234567890&o=${encodeURIComponent(shop.origin)}`;
    await page.goto(`${service.url}/checkout?clientId=${merchant.clientId}&mode=popup#${hash}`);
    await page.getByText(ORPHANED).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
