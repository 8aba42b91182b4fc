import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  CARDS,
  type Customer,
  customerWith,
  startSession,
} from "../support/orders/purchase.ts";

const service = inject("service");
const CHALLENGED = "4000000000002503";

let browser: Browser;
let shop: ShopPage;
let merchant: Merchant;

describe.runIf(hasBrowser)("the steps of the checkout", () => {
  beforeAll(async () => {
    browser = await openBrowser();
    shop = await startShopPage(service);
    merchant = await createMerchant(service, shop.origin);
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await closePages(browser);
    shop.close();
  });

  async function visit(customer: Customer, options: object): Promise<Page> {
    const page = await openPage(browser, LOOKS["phone-light"]);
    await page.goto(shop.addressFor(merchant.clientId, customer.token, options));
    return page;
  }

  async function customerIn(countryCode: string, lock: object): Promise<Customer> {
    const sessionId = newSessionId();
    const customer = { countryCode };
    const created = await createToken(service, merchant, { sessionId, lock, customer });
    return customerWith(service, sessionId, created.body.data.accessToken);
  }

  /** Opens the checkout in one of the three displays. The second page is the one with the history. */
  async function open(page: Page, display: string): Promise<[CheckoutPage, Page]> {
    const button = page.getByRole("button", { name: "Buy" });
    if (display === "popup") {
      const [popup] = await Promise.all([page.waitForEvent("popup"), button.click()]);
      return [new CheckoutPage(popup, popup), popup];
    }
    await button.click();
    return [display === "modal" ? new CheckoutPage(page) : new CheckoutPage(page, page), page];
  }

  const back = (page: Page) => page.evaluate(() => history.back());

  test.each(["modal", "redirect", "popup"])(
    "Back goes one step back and loses nothing: %s",
    async (display) => {
      const page = await visit(await startSession(service, merchant), { display });
      const [checkout, history] = await open(page, display);
      await checkout.goTo("wallet", CHALLENGED);
      await back(history);
      await checkout.see("method");
      await back(history);
      await checkout.see("amount");
      await checkout.continue();
      await checkout.see("method");
      await checkout.continue();
      await checkout.see("wallet");
      const address = checkout.frame.getByLabel(/^Your \w+ address$/);
      expect(await address.inputValue()).toBe(BITCOIN_ADDRESS);
      // The checkout's own button and the browser's take turns.
      await checkout.button("Back").click();
      await checkout.see("method");
      await back(history);
      await checkout.see("amount");
      expect(await axeFaults(history)).toEqual([]);
    },
  );

  test("Back on the first step closes the dialog, and the page's own history is left as it was", async () => {
    const page = await visit(await startSession(service, merchant), {});
    const address = page.url();
    const [checkout] = await open(page, "modal");
    await checkout.see("amount");
    await checkout.continue();
    await checkout.see("method");
    await back(page);
    await checkout.see("amount");
    await back(page);
    await expect
      .poll(() => page.evaluate("results"))
      .toEqual([{ outcome: "closed", reason: "back" }]);
    const [again] = await open(page, "modal");
    await again.goTo("wallet", CHALLENGED);
    await again.button("Close").click();
    await again.button("Leave").click();
    await expect.poll(() => page.evaluate("results.length")).toBe(2);
    await expect.poll(() => page.evaluate("history.state")).toBeNull();
    expect(page.url()).toBe(address);
    await page.goBack();
    expect(page.url()).toBe("about:blank");
  });

  test("a reload shows the same step with everything typed, and stores no card", async () => {
    const page = await visit(await startSession(service, merchant), { display: "redirect" });
    const [checkout] = await open(page, "redirect");
    await checkout.see("amount");
    await checkout.frame.getByLabel("You pay", { exact: true }).fill("123");
    await checkout.seePrice();
    await checkout.continue();
    await checkout.see("method");
    await checkout.continue();
    await checkout.see("wallet");
    await checkout.typeAddress();
    await page.reload();
    await checkout.see("wallet");
    const address = checkout.frame.getByLabel(/^Your \w+ address$/);
    expect(await address.inputValue()).toBe(BITCOIN_ADDRESS);
    await checkout.frame
      .getByText(/CA\$123\.00/)
      .first()
      .waitFor();
    await back(page);
    await checkout.see("method");
    await checkout.continue();
    await checkout.see("wallet");
    await checkout.continue();
    await checkout.typeCard(CHALLENGED);
    const stored = await page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)));
    expect(stored).toContain(BITCOIN_ADDRESS);
    expect(stored.replaceAll(/[\s-]/g, "")).not.toContain(CHALLENGED);
    expect(stored).not.toContain("Ada Lovelace");
    await checkout.continue();
    await checkout.see("review");
    await page.reload();
    await checkout.see("card");
  });

  const leftBy: Record<string, (page: Page, checkout: CheckoutPage) => Promise<void>> = {
    "the close button": async (_page, checkout) => {
      await checkout.see("amount");
      await checkout.continue();
      await checkout.see("method");
      await checkout.button("Close").click();
    },
    Back: async (page, checkout) => {
      await checkout.goTo("wallet", CHALLENGED);
      await checkout.typeAddress();
      for (const step of ["method", "amount"] as const) {
        await back(page);
        await checkout.see(step);
      }
      await back(page);
    },
  };
  test.each(Object.entries(leftBy))("no choice stays in a window left by %s", async (_, leave) => {
    const page = await visit(await startSession(service, merchant), { display: "redirect" });
    const [checkout] = await open(page, "redirect");
    await leave(page, checkout);
    await page.waitForURL(/exchange_outcome=closed/);
    await page.goto(`${service.url}/docs`);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  });

  test("the choices outlive a reload of the shop's page, within their session only", async () => {
    const customer = await startSession(service, merchant);
    const page = await visit(customer, {});
    const [checkout] = await open(page, "modal");
    await checkout.goTo("wallet", CHALLENGED);
    await page.reload();
    const [again] = await open(page, "modal");
    await again.see("wallet");
    const other = await startSession(service, merchant);
    await page.goto(shop.addressFor(merchant.clientId, other.token));
    const [fresh] = await open(page, "modal");
    await fresh.see("amount");
  });

  test("a fixed purchase has two screens and three taps", async () => {
    const lock = {
      operationType: "B",
      baseCurrency: "cad",
      baseAmount: 100,
      targetCurrency: "btc",
    } as const;
    const page = await visit(await customerIn("CA", lock), {});
    const [checkout] = await open(page, "modal");
    await checkout.see("wallet");
    await checkout.frame.getByText("Step 1 of 2").waitFor();
    expect(await checkout.button("Back").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await checkout.typeAddress();
    await checkout.continue();
    await checkout.see("review");
    await checkout.frame.getByText("Step 2 of 2").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    // The methods are beside the button, whose price is that of the method chosen last.
    await checkout.frame.getByLabel(/Interac/).check();
    await checkout.button(/^Place order and see the account/).waitFor();
    expect(await checkout.frame.getByLabel("Card number").count()).toBe(0);
    await checkout.frame.getByLabel(/^(Credit|Card)/).check();
    await checkout.pay();
    await checkout.frame.getByText("Enter your card number").first().waitFor();
    await checkout.typeCard(CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
  });

  test("no choice changes the number of a step", async () => {
    const page = await visit(await customerIn("CA", { operationType: "B" }), {});
    const [checkout] = await open(page, "modal");
    await checkout.see("amount");
    await checkout.frame.getByText("Step 1 of 4").waitFor();
    await checkout.continue();
    await checkout.see("method");
    await checkout.frame.getByText("Step 2 of 4").waitFor();
    await checkout.frame.getByLabel(/Interac/).check();
    await checkout.frame.getByText("Step 2 of 4").waitFor();
    await checkout.continue();
    await checkout.see("wallet");
    await checkout.frame.getByText("Step 3 of 4").waitFor();
    await checkout.typeAddress();
    await checkout.continue();
    await checkout.see("review");
    await checkout.frame.getByText("Step 4 of 4").waitFor();
  });

  test("closing asks while the bank waits for its customer, and the answer may be to stay", async () => {
    const page = await visit(await startSession(service, merchant), {});
    const [checkout] = await open(page, "modal");
    await checkout.goTo("review", CHALLENGED);
    await checkout.pay();
    await checkout.see("challenge");
    await checkout.button("Close").click();
    await checkout.frame.getByText("Your bank asked you to confirm this payment.").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await checkout.button("Stay").click();
    await back(page);
    await checkout.frame.getByText("Your bank asked you to confirm this payment.").waitFor();
    await back(page);
    await checkout.see("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    await bank.getByRole("button", { name: /confirm/i }).click();
    await checkout.see("done");
  });
});
