import type { OrderData } from "@exchange/contract";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  type Look,
  openBrowser,
  recordRequests,
} from "../support/browser/browser.ts";
import { CheckoutPage, type Screen } from "../support/browser/checkout-page.ts";
import { buyByKeys } from "../support/browser/purchase-by-keys.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  merchantCall,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  CARDS,
  type Customer,
  type Ok,
  startSession,
} from "../support/orders/purchase.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
const DECLINED = "4000000000000002";
const CHALLENGED = "4000000000002503";
/** Valid by its check digit, of no test card: what a customer's own card looks like. */
const REAL_LOOKING = "4111111111111111";

let browser: Browser;
let shop: ShopPage;
let merchant: Merchant;
let receiver: Receiver;

describe.runIf(hasBrowser)("the popup", () => {
  beforeAll(async () => {
    browser = await openBrowser();
    shop = await startShopPage(service);
    merchant = await createMerchant(service, shop.origin);
    receiver = await startReceiver();
    await addWebhook(service, merchant, receiver);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await closePages(browser);
    shop.close();
    await receiver.close();
  });

  async function visit(customer: Customer, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: "no-preference",
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(shop.addressFor(merchant.clientId, customer.token));
    return page;
  }

  async function open(page: Page): Promise<CheckoutPage> {
    await page.getByRole("button", { name: "Buy" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    return checkout;
  }

  const orderOf = async (customer: Customer): Promise<OrderData> => {
    const session = await customer.call<Ok<{ orderId: number }>>({ path: "/v1/checkout/session" });
    const path = `/v1/orders/${session.body.data.orderId}`;
    return (await merchantCall<Ok<OrderData>>(service, merchant, { path })).body.data;
  };

  test.each(Object.keys(LOOKS) as Look[])("has nothing that axe finds wrong: %s", async (look) => {
    const page = await visit(await startSession(service, merchant), LOOKS[look]);
    const checkout = await open(page);
    const faults: string[] = [];
    const examine = async (screen: Screen): Promise<void> => {
      faults.push(...(await axeFaults(page)).map((fault) => `${screen}: ${fault}`));
    };
    await checkout.goTo("review", CHALLENGED, examine);
    await checkout.pay();
    await checkout.see("challenge");
    await examine("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    await bank.getByRole("button", { name: /confirm/i }).click();
    await checkout.see("done");
    await examine("done");
    expect(faults).toEqual([]);
  });

  test("a declined card leaves the order payable, and the next card completes it", async () => {
    const customer = await startSession(service, merchant);
    const page = await visit(customer);
    const checkout = await open(page);
    await checkout.goTo("review", DECLINED);
    await checkout.pay();
    await checkout.see("declined");
    expect(await axeFaults(page)).toEqual([]);
    await checkout.button("Try another card").click();
    await checkout.see("card");
    await checkout.typeCard(CARDS.mastercard);
    await checkout.button(/^(Pay |Continue)/).click();
    await checkout.see("done");
    const order = await orderOf(customer);
    expect(order).toMatchObject({ status: "completed", payment: { attemptsLeft: 3 } });
  });

  test("a challenge of the bank, confirmed, completes the order with its result", async () => {
    const customer = await startSession(service, merchant);
    const checkout = await open(await visit(customer));
    await checkout.goTo("review", CHALLENGED);
    await checkout.pay();
    await checkout.see("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    await bank.getByRole("button", { name: /confirm/i }).click();
    await checkout.see("done");
    const { payment } = await orderOf(customer);
    expect(payment.attempt?.threeDSecure).toMatchObject({ flow: "challenge", transStatus: "Y" });
  });

  test("a bank's page that was lost with the connection is loaded again, and one that is there stays", async () => {
    const page = await visit(await startSession(service, merchant));
    const checkout = await open(page);
    await checkout.goTo("review", CHALLENGED);
    await checkout.pay();
    await checkout.see("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    const confirm = bank.getByRole("button", { name: /confirm/i });
    const lost = checkout.frame.getByText(/connection/i).first();
    await confirm.evaluate((button) => button.setAttribute("data-kept", ""));
    await page.context().setOffline(true);
    await lost.waitFor();
    await page.context().setOffline(false);
    await lost.waitFor({ state: "hidden" });
    expect(await confirm.getAttribute("data-kept")).toBe("");
    await page.context().setOffline(true);
    await confirm.click();
    const isLost = () => page.frames().some((frame) => frame.url().startsWith("chrome-error:"));
    await expect.poll(isLost).toBe(true);
    await page.context().setOffline(false);
    await confirm.click();
    await checkout.see("done");
  });

  test("a card that is not a test card is refused before anything is sent", async () => {
    const page = await visit(await startSession(service, merchant));
    const requests = recordRequests(page);
    const checkout = await open(page);
    await checkout.goTo("card", REAL_LOOKING);
    const before = requests.filter((line) => line.startsWith("POST")).length;
    await checkout.continue();
    await checkout.frame
      .getByText(/real cards can't be used/i)
      .first()
      .waitFor();
    await checkout.see("card");
    await page.waitForTimeout(500);
    expect(requests.join("\n")).not.toMatch(/4111[ -]?1111[ -]?1111[ -]?1111/);
    const orders = requests.filter((line) => /POST .*\/(orders|payments)/.test(line));
    expect(orders).toEqual([]);
    expect(before).toBeGreaterThan(0);
  });

  test("a broken wallet address and one of another network are refused with words", async () => {
    const checkout = await open(await visit(await startSession(service, merchant)));
    await checkout.goTo("wallet", CARDS.visa);
    await checkout.typeAddress("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb");
    await checkout.frame
      .getByText(/doesn't look like a/)
      .first()
      .waitFor();
    await checkout.typeAddress("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t");
    await checkout.frame
      .getByText(
        "That address belongs to Tron. For BTC you need an address on Bitcoin, which starts with 1, 3, or bc1.",
      )
      .first()
      .waitFor();
    await checkout.typeAddress();
    await checkout.frame.getByText(/valid Bitcoin address/).waitFor();
  });

  test("Escape asks before it throws away what was typed, and the question stays", async () => {
    const page = await visit(await startSession(service, merchant));
    const checkout = await open(page);
    await checkout.goTo("wallet", CARDS.visa);
    await checkout.typeAddress();
    await page.keyboard.press("Escape");
    const question = checkout.frame.getByText("Leave checkout?");
    await question.waitFor();
    await page.waitForTimeout(500);
    expect(await question.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "hidden" });
    await checkout.see("wallet");
  });

  test("the transaction of a sandbox order leads to a page that shows it", async () => {
    const page = await visit(await startSession(service, merchant));
    const checkout = await open(page);
    await checkout.goTo("review", CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
    const sent = await checkout.frame.getByRole("heading", { level: 1 }).innerText();
    const opened = page.waitForEvent("popup");
    await checkout.frame.getByRole("link", { name: "View it on the block explorer" }).click();
    const explorer = await opened;
    await explorer
      .getByText(sent.replace(/\ssent$/, ""), { exact: false })
      .first()
      .waitFor();
    await explorer.getByText(BITCOIN_ADDRESS).first().waitFor();
  });

  test("a second order in the same session is refused, and the customer is asked to restart from the shop", async () => {
    const customer = await startSession(service, merchant);
    const page = await visit(customer);
    const checkout = await open(page);
    await checkout.goTo("review", CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
    await page.reload();
    await page.getByRole("button", { name: "Buy" }).click();
    const again = new CheckoutPage(page);
    await again.frame.getByText(/already been used for an order/).waitFor();
    await again.frame
      .getByText(/start checkout again/)
      .first()
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("it is completed by keyboard alone", async () => {
    const customer = await startSession(service, merchant);
    const page = await visit(customer);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const checkout = new CheckoutPage(page);
    await buyByKeys(checkout, CARDS.visa);
    await checkout.see("done");
    expect((await orderOf(customer)).status).toBe("completed");
  });

  test("loads nothing from elsewhere, sets no cookie, and no error is logged", async () => {
    const page = await visit(await startSession(service, merchant));
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(error.message));
    const requests = recordRequests(page);
    const checkout = await open(page);
    await checkout.goTo("review", CARDS.amex);
    await checkout.pay();
    await checkout.see("done");
    const origins = new Set(requests.map((line) => new URL(line.split(" ")[1] ?? "").origin));
    expect([...origins].filter((origin) => ![service.url, shop.origin].includes(origin))).toEqual(
      [],
    );
    expect(await page.context().cookies()).toEqual([]);
    expect(errors.filter((text) => !/favicon/.test(text))).toEqual([]);
  });
});
