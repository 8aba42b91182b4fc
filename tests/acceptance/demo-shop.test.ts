import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import {
  axeFaults,
  hasBrowser,
  LOOKS,
  type Look,
  launchBrowser,
  shoot,
} from "../support/browser.ts";
import { CheckoutPage } from "../support/checkout-page.ts";
import { CARDS } from "../support/purchase.ts";

const service = inject("service");
let browser: Browser;

/** Looks of the shop, one for each card: together they cover light and dark, desktop and phone. */
const LOOK_OF = {
  visa: "desktop-light",
  mastercard: "phone-dark",
  amex: "desktop-dark",
} as const satisfies Record<keyof typeof CARDS, Look>;

describe.runIf(hasBrowser)("the demo shop", () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(() => browser.close());

  async function visit(look: Look): Promise<Page> {
    const context = await browser.newContext(LOOKS[look]);
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    await page.goto(service.shopUrl);
    return page;
  }

  async function buy(page: Page, card: string): Promise<CheckoutPage> {
    await page.getByRole("button", { name: "Pay with exchange" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.goTo("review", card);
    await checkout.pay();
    await checkout.see("done");
    return checkout;
  }

  test.each(Object.keys(CARDS) as (keyof typeof CARDS)[])(
    "sells with the %s test card and marks the purchase paid by a verified webhook",
    async (brand) => {
      const look = LOOK_OF[brand];
      const page = await visit(look);
      await shoot(page, look, "shop");
      expect(await axeFaults(page)).toEqual([]);
      const checkout = await buy(page, CARDS[brand]);
      await checkout.button("Done").click();
      await page.locator('#purchase[data-status="paid"]').waitFor();
      await page.getByText(/^Paid/).first().waitFor();
      const webhooks = page.locator("#webhooks li");
      expect(
        await webhooks.filter({ hasText: "OrderFulfillment" }).first().textContent(),
      ).toContain("Signature valid");
      expect(await webhooks.filter({ hasText: "OrderCreated" }).count()).toBeGreaterThan(0);
      await shoot(page, look, "shop-paid");
      expect(await axeFaults(page)).toEqual([]);
    },
  );

  test("a second purchase in the same session is told to restart, then a new one works", async () => {
    const page = await visit("desktop-light");
    const checkout = await buy(page, CARDS.visa);
    await checkout.button("Done").click();
    await page.locator('#purchase[data-status="paid"]').waitFor();
    await page.getByRole("button", { name: "Buy again in the same session" }).click();
    const again = new CheckoutPage(page);
    await again.frame.getByText(/already been used for an order/).waitFor();
    await again.frame
      .getByText(/start checkout again/)
      .first()
      .waitFor();
    await again.button(/^Back to /).click();
    await page.getByRole("button", { name: "New purchase" }).click();
    await buy(page, CARDS.mastercard);
  });

  test("a forged and a stale webhook change nothing", async () => {
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${service.shopUrl}/webhooks`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({
          eventType: "OrderFulfillment",
          sessionId: "x",
          details: { orderId: 1 },
        }),
      });
    const id = "6f1d7c1e-0000-4000-8000-000000000000";
    const forged = { "x-webhook-id": id, "x-webhook-timestamp": "1", "x-webhook-signature": "00" };
    expect((await send({})).status).toBe(400);
    expect((await send(forged)).status).toBe(400);
  });
});
