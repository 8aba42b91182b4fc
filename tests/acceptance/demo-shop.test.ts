import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  type Look,
  openBrowser,
} from "../support/browser/browser.ts";
import { CheckoutPage, type Screen } from "../support/browser/checkout-page.ts";
import { BITCOIN_ADDRESS, CARDS } from "../support/orders/purchase.ts";

const service = inject("service");
let browser: Browser;
const DECLINED = "4000000000000002";

describe.runIf(hasBrowser)("the demo shop", () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(() => closePages(browser));

  async function visit(path: string, look: Look = "desktop-light"): Promise<Page> {
    const context = await browser.newContext(LOOKS[look]);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(`${service.shopUrl}${path}`);
    return page;
  }

  async function open(page: Page): Promise<CheckoutPage> {
    await page.locator("#pay").click();
    return new CheckoutPage(page);
  }

  async function payIn(checkout: CheckoutPage, card: string): Promise<void> {
    await checkout.goTo("review", card);
    await checkout.pay();
    await checkout.see("done");
    await checkout.button("Done").click();
  }

  const isInSight = (element: Locator): Promise<boolean> =>
    element.evaluate((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });

  /** The checkout in a window of its own, or in place of the shop. */
  const asPage = (page: Page): CheckoutPage =>
    Object.assign(new CheckoutPage(page), { frame: page.locator(":root") });

  /** Paid, by a webhook that the shop's server found to be genuine. */
  async function seePaid(page: Page): Promise<void> {
    await page.locator('#purchase[data-status="paid"]').waitFor();
    const paid = await page.getByText(/^Paid – order \d+$/).innerText();
    const [orderId] = /\d+$/.exec(paid) ?? [];
    const session = await page.locator("#purchase-session").textContent();
    expect(session).toMatch(/^shop-/);
    // The list has the webhooks of every purchase, those of other test files too.
    const ofOrder = page.locator("#webhooks li").filter({ hasText: `order ${orderId} ` });
    // A delivery that is made again is a line of its own.
    const webhook = ofOrder.filter({ hasText: "OrderFulfillment" }).filter({ hasText: "applied" });
    expect(await webhook.textContent()).toMatch(/Signature valid.* · applied · id [\da-f-]{36}/);
  }

  test("sells in a modal, and logs what the page and the server hear", async () => {
    const page = await visit("/");
    await payIn(await open(page), CARDS.visa);
    await seePaid(page);
    const events = page.locator("#sdk-events li");
    for (const name of ["open", "ready", "orderPlaced", "orderCompleted", "close"]) {
      await events.filter({ hasText: name }).first().waitFor();
    }
    const quote = events.filter({ hasText: "quoteUpdated" }).first();
    expect(await quote.textContent()).toMatch(/\d\d:\d\d:\d\d.*100 EUR → 0\.\d+ BTC/);
    await quote.getByText("Data of quoteUpdated").click();
    await quote.getByText('"sessionId": "shop-').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("the shop and its popup have one name, and the result is in sight afterwards", async () => {
    const page = await visit("/", "phone-light");
    const brand = (await page.locator(".brand").innerText())
      .replace(/[^\p{L} ]|Demo shop/gu, "")
      .trim();
    const checkout = await open(page);
    await checkout.frame.locator(".bar").getByText(brand, { exact: true }).waitFor();
    await payIn(checkout, CARDS.visa);
    await seePaid(page);
    await page.getByRole("heading", { name: "Your purchase" }).waitFor();
    const status = page.locator("#purchase-status");
    await expect.poll(() => isInSight(status)).toBe(true);
    expect(await page.locator("#pay.primary").count()).toBe(0);
  });

  test("sells in a window of its own, and the shop's page hears of it", async () => {
    const page = await visit("/examples/popup", "desktop-dark");
    const opened = page.waitForEvent("popup");
    await page.locator("#pay").click();
    const popup = await opened;
    await payIn(asPage(popup), CARDS.mastercard);
    await seePaid(page);
    await expect.poll(() => popup.isClosed()).toBe(true);
    await page.locator("#sdk-events li").filter({ hasText: "paid: completed" }).waitFor();
  });

  test("sells in place of the shop, and the customer comes back to a page that waits for the webhook", async () => {
    const page = await visit("/examples/redirect", "phone-dark");
    await page.locator("#pay").click();
    await payIn(asPage(page), CARDS.amex);
    await page.waitForURL(/\/return\?exchange_outcome=paid&exchange_session=shop-/);
    await page.getByText(/^Thank you\. Your payment is complete\. Its number is \d+\.$/).waitFor();
    await seePaid(page);
  });

  test("a blocked window is logged, and the checkout opens over the page", async () => {
    const page = await visit("/examples/blocked-popup");
    await (await open(page)).see("wallet");
    await page.locator("#sdk-events li").filter({ hasText: "popup blocked" }).waitFor();
  });

  test.each<[string, Screen, RegExp]>([
    ["/", "wallet", /^€100\.00.*BTC/s],
    ["/sell", "delivery", /^0\.01\sBTC.*€/s],
    ["/swap", "wallet", /^0\.5\sETH.*BTC/s],
    ["/transfer", "delivery", /^€100\.00.*\$/s],
  ])("%s opens its operation with what the server locked", async (path, screen, amounts) => {
    const checkout = await open(await visit(path));
    await checkout.see(screen);
    await checkout.frame.getByText("Set by Corner Coins").first().waitFor();
    const shown = await checkout.frame.locator(".deal dd").allInnerTexts();
    expect(shown.join(" ")).toMatch(amounts);
  });

  test("a locked wallet cannot be changed, and a prefilled one can", async () => {
    const locked = await open(await visit("/examples/locked"));
    // Nothing but the payment is left to the customer.
    await locked.see("review");
    await locked.frame.getByText("Step 1 of 1").waitFor();
    await locked.frame.getByText("Price and details").click();
    await locked.frame.getByText(/^1A1z ?P1eP/).waitFor();
    const prefilled = await open(await visit("/examples/prefilled"));
    await prefilled.seePrice();
    expect(await prefilled.frame.getByRole("textbox", { name: "You pay" }).inputValue()).toBe("75");
    await prefilled.continue();
    await prefilled.see("method");
    await prefilled.continue();
    await prefilled.see("wallet");
    const wallet = prefilled.frame.getByLabel("Your BTC address");
    expect(await wallet.inputValue()).toBe(BITCOIN_ADDRESS);
    expect(await wallet.isEditable()).toBe(true);
  });

  test("a used session asks to restart, a reload gets no token, a new purchase works", async () => {
    const page = await visit("/examples/used-session");
    await payIn(await open(page), CARDS.visa);
    await seePaid(page);
    await page.getByRole("button", { name: "Open again in the same session" }).click();
    const again = new CheckoutPage(page);
    await again.frame.getByText(/already been used for an order/).waitFor();
    await again.button(/^Back to /).click();
    // Each opening ended with the one order there is.
    const ended = page.locator("#sdk-events").getByText("paid: completed");
    await expect.poll(() => ended.count()).toBe(2);
    await page.reload();
    await page.getByRole("button", { name: "Open again in the same session" }).click();
    await page
      .locator("#notice")
      .filter({ hasText: /session/i })
      .waitFor();
    await new CheckoutPage(page).button(/^Back to /).click();
    await page.getByRole("button", { name: "New purchase" }).click();
    await (await open(page)).see("wallet");
  });

  test("an order that was cancelled has ended in the shop too, and Pay is the main button again", async () => {
    const page = await visit("/");
    const checkout = await open(page);
    await checkout.goTo("review", DECLINED);
    await checkout.pay();
    await checkout.button("Cancel order").click();
    await checkout.frame.locator("dialog").getByRole("button", { name: "Cancel order" }).click();
    await checkout.frame.getByRole("heading", { name: "Your order was cancelled" }).waitFor();
    await checkout.button(/^Back to /).click();
    await page.getByText(/^Did not go through – order \d+$/).waitFor();
    expect(await page.locator("#purchase-steps").isVisible()).toBe(false);
    expect(await page.locator("#continue").isVisible()).toBe(false);
    expect(await page.locator("#pay.primary").count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("a slow token is waited for, and the customer sees one that fails", async () => {
    const shop = await visit("/examples/slow-token");
    let answer = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await shop.route("**/api/examples/slow-token", async (route) => {
      await isAnswered;
      await route.continue();
    });
    const slow = await open(shop);
    await shop.getByText("Loading checkout…").waitFor();
    answer();
    await slow.see("wallet");
    const page = await visit("/examples/failing-token");
    const failing = await open(page);
    await failing.frame.getByText(/We couldn't start checkout/).waitFor();
    await failing.button(/^Back to /).click();
    await page.getByText("The shop cannot start a checkout right now.").waitFor();
  });

  test("the strict page sells without a violation of its policy", async () => {
    const page = await visit("/examples/strict-policy");
    const refused: string[] = [];
    page.on("console", (message) => {
      if (/policy|trusted/i.test(message.text())) refused.push(message.text());
    });
    await payIn(await open(page), CARDS.amex);
    await seePaid(page);
    expect(await page.getByText("Policy violation").count()).toBe(0);
    expect(refused).toEqual([]);
  });

  test("the pinned script is the one whose hash the page names", async () => {
    const page = await visit("/examples/pinned-script");
    expect(await page.locator('head script[integrity^="sha384-"]').count()).toBe(1);
    await (await open(page)).see("wallet");
  });

  test("a forged webhook is logged as invalid and changes nothing", async () => {
    const page = await visit("/");
    const id = "6f1d7c1e-0000-4000-8000-000000000000";
    const answer = await fetch(`${service.shopUrl}/webhooks`, {
      method: "POST",
      headers: { "x-webhook-id": id, "x-webhook-timestamp": "1", "x-webhook-signature": "00" },
      body: JSON.stringify({ eventType: "OrderFulfillment", sessionId: "x" }),
    });
    expect(answer.status).toBe(400);
    const entry = page.locator("#webhooks li").filter({ hasText: id });
    await entry.getByText("Signature invalid").waitFor();
  });

  test("the code of a page is copied as it is shown", async () => {
    const page = await visit("/examples/popup");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy: Open the checkout in the click" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('display: "popup"');
    expect(copied).toContain(
      'document.querySelector("#pay").addEventListener("click", openPopup);',
    );
  });

  test("every page has no fault that axe finds, and fits a phone of 320 px", async () => {
    const paths = ["/", "/examples", "/examples/right-to-left", "/return"];
    for (const [index, path] of paths.entries()) {
      const page = await visit(path, index % 2 === 0 ? "phone-dark" : "desktop-light");
      const folded = page.locator(path === "/return" ? "details" : ".log details");
      await folded.evaluateAll((all) => {
        for (const each of all) (each as HTMLDetailsElement).open = true;
      });
      expect(await axeFaults(page), path).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, path).toBe(0);
    }
  });
});
