import type { OperationType, OrderData } from "@exchange/contract";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import {
  axeFaults,
  hasBrowser,
  LOOKS,
  launchBrowser,
  recordRequests,
  shoot,
} from "../support/browser.ts";
import { CheckoutPage } from "../support/checkout-page.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/merchant.ts";
import { CARDS, type Ok } from "../support/purchase.ts";
import { type ShopPage, startShopPage } from "../support/shop-page.ts";

const service = inject("service");
const IBAN = "DE89 3704 0044 0532 0130 00";
const ETHEREUM_ADDRESS = "0xde709f2102306220921060314715629080e2fb77";
const BITCOIN_ADDRESS = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

const AMOUNTS: Readonly<Record<OperationType, object>> = {
  B: { baseCurrency: "eur", baseAmount: 100, targetCurrency: "btc" },
  S: { baseCurrency: "btc", baseAmount: 0.01, targetCurrency: "eur" },
  CC: { baseCurrency: "eth", baseAmount: 0.5, targetCurrency: "btc" },
  FF: { baseCurrency: "eur", baseAmount: 100, targetCurrency: "usd" },
};

let browser: Browser;
let shop: ShopPage;
let merchant: Merchant;

describe.runIf(hasBrowser)("the popup, for every operation", () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    shop = await startShopPage(service);
    merchant = await createMerchant(service, shop.origin);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    shop.close();
  });

  /** A page of a customer in Germany; its button has the focus. */
  async function visit(
    operationType: OperationType,
    look: BrowserContextOptions = {},
    lock: object = { operationType },
  ): Promise<Page> {
    const sessionId = newSessionId();
    const customer = { countryCode: "DE" };
    const created = await createToken(service, merchant, { sessionId, lock, customer });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const options = { operationType, ...AMOUNTS[operationType] };
    const { accessToken } = created.body.data;
    await page.goto(shop.addressFor(merchant.clientId, accessToken, options));
    await page.keyboard.press("Tab");
    return page;
  }

  async function open(page: Page): Promise<CheckoutPage> {
    await page.keyboard.press("Enter");
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    await checkout.seePrice();
    return checkout;
  }

  /** What the shop's server does to make a sandbox payment arrive. */
  async function deposit(body: object): Promise<{ depositId: string }> {
    const answer = await merchantCall<Ok<{ depositId: string }>>(service, merchant, {
      method: "POST",
      path: "/v1/sandbox/deposits",
      body,
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data;
  }

  const orderOf = async (orderId: number): Promise<OrderData> =>
    (await merchantCall<Ok<OrderData>>(service, merchant, { path: `/v1/orders/${orderId}` })).body
      .data;

  /** From the instructions on: the money arrives, and the order is followed to its end. */
  async function finish(checkout: CheckoutPage): Promise<OrderData> {
    await checkout.see("instructions");
    const orderId = await checkout.orderNumber();
    await deposit({ orderId });
    await checkout.see("done");
    const order = await orderOf(orderId);
    expect(order.status).toBe("completed");
    await checkout.press("Done");
    await checkout.page.locator("[data-exchange]").waitFor({ state: "detached" });
    return order;
  }

  test("a sale is completed by keyboard alone, paid out to the account that was typed", async () => {
    const checkout = await open(await visit("S"));
    await checkout.press("Continue");
    await checkout.see("delivery");
    await checkout.press("Continue");
    await checkout.see("payout");
    await checkout.type("Account holder's full name", "Ada Lovelace");
    await checkout.type("IBAN", "DE89 3704 0044 0532 0130 01");
    await checkout.press("Continue");
    await checkout.frame
      .getByText(/IBAN has a typing error/)
      .first()
      .waitFor();
    await checkout.frame.getByLabel("IBAN").fill("");
    await checkout.type("IBAN", IBAN);
    await checkout.type(/refund address/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Continue to send/);
    const order = await finish(checkout);
    expect(order).toMatchObject({ operationType: "S", refundAddress: BITCOIN_ADDRESS });
    expect(order.delivery.fields.find(({ name }) => name === "iban")?.value).toMatch(/3000$/);
  });

  test("a swap is completed by keyboard alone, with its confirmations shown as they come", async () => {
    const page = await visit("CC");
    const checkout = await open(page);
    await checkout.press("Continue");
    await checkout.see("wallet");
    await checkout.type(/^Your BTC address$/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Continue to send/);
    await checkout.see("instructions");
    await checkout.frame.getByRole("img", { name: /QR code/ }).waitFor();
    const orderId = await checkout.orderNumber();
    const { depositId } = await deposit({ orderId, confirmations: 1 });
    await checkout.see("going");
    await checkout.frame.getByText(/^1 of \d+ confirmations$/).waitFor();
    await checkout.frame.getByText("Where should your coins go", { exact: false }).click();
    await checkout.type("Refund address", ETHEREUM_ADDRESS);
    await checkout.press("Save the address");
    await checkout.frame.getByText("If sent back, to").waitFor();
    await deposit({ orderId, depositId });
    await checkout.see("done");
    expect(await orderOf(orderId)).toMatchObject({
      status: "completed",
      refundAddress: ETHEREUM_ADDRESS,
    });
  });

  test("a transfer paid from a bank account reaches a debit card, by keyboard alone", async () => {
    const page = await visit("FF");
    const requests = recordRequests(page);
    const checkout = await open(page);
    await checkout.press("Continue");
    await checkout.see("method");
    await checkout.choose(/^SEPA bank transfer/);
    await checkout.press("Continue");
    await checkout.see("delivery");
    await checkout.choose(/^To a debit card/);
    await checkout.press("Continue");
    await checkout.see("payout");
    await checkout.type("Account holder's full name", "Ada Lovelace");
    await checkout.type("Card number", CARDS.visa);
    await checkout.type("Expiry date", "1240");
    await checkout.type("Security code", "123");
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.frame
      .getByText(/ending in 2701/)
      .first()
      .waitFor();
    await checkout.press(/^Continue to transfer/);
    const order = await finish(checkout);
    expect(order.delivery).toMatchObject({ type: "card_push" });
    const carried = requests.filter((line) => line.includes(CARDS.visa));
    expect(carried).toHaveLength(1);
    expect(carried[0]).toContain("/v1/checkout/cards ");
  });

  test("a purchase is paid by bank transfer, by keyboard alone", async () => {
    const checkout = await open(await visit("B"));
    await checkout.press("Continue");
    await checkout.see("method");
    await checkout.choose(/^SEPA bank transfer/);
    await checkout.press("Continue");
    await checkout.see("wallet");
    await checkout.type(/^Your BTC address$/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Continue to transfer/);
    await checkout.see("instructions");
    await checkout.frame.getByText("Reference", { exact: true }).waitFor();
    expect((await finish(checkout)).quote.paymentMethod.reference).toBe("sepa");
  });

  // Together they have both themes and both widths: each screen is looked at in every one of these.
  test.each(["desktop-light", "phone-dark"] as const)(
    "has nothing that axe finds wrong: %s",
    async (look) => {
      const faults: string[] = [];
      const examine = async (page: Page, name: string): Promise<void> => {
        await shoot(page, look, name);
        faults.push(...(await axeFaults(page)).map((fault) => `${name}: ${fault}`));
      };
      const selling = await visit("S", LOOKS[look], {});
      const sale = await open(selling);
      await examine(selling, "sell-amount");
      await sale.continue();
      await sale.see("delivery");
      await examine(selling, "sell-delivery");
      await sale.frame.getByLabel(/^To a debit card/).check();
      await sale.continue();
      await sale.see("payout");
      await sale.continue();
      await sale.frame.getByText("Check these answers").waitFor();
      await examine(selling, "sell-payout-wrong");
      await sale.frame.getByLabel("Account holder's full name").fill("Ada Lovelace");
      await sale.button(/^Fill in Visa ending in 2701/).click();
      await sale.continue();
      await sale.see("review");
      await examine(selling, "sell-review");
      await sale.button(/^Continue to send/).click();
      await sale.see("instructions");
      await sale.frame.getByRole("img", { name: /QR code/ }).waitFor();
      for (const summary of await sale.frame.locator("summary").all()) await summary.click();
      await examine(selling, "deposit");
      await deposit({ orderId: await sale.orderNumber(), amount: 0.004 });
      await sale.see("underpaid");
      await sale.frame.getByText("Still missing").waitFor();
      await examine(selling, "underpaid");

      const buying = await visit("B", LOOKS[look]);
      const purchase = await open(buying);
      await payByBank(purchase);
      await examine(buying, "bank-transfer");
      await purchase.button("Cancel order").click();
      await purchase.frame.getByRole("heading", { name: "Cancel this order?" }).waitFor();
      await examine(buying, "cancel");
      expect(faults).toEqual([]);
    },
  );

  /** A purchase up to the account to transfer to. */
  async function payByBank(checkout: CheckoutPage): Promise<void> {
    await checkout.continue();
    await checkout.see("method");
    await checkout.frame.getByLabel(/^SEPA bank transfer/).check();
    await checkout.continue();
    await checkout.see("wallet");
    await checkout.typeAddress();
    await checkout.continue();
    await checkout.see("review");
    await checkout.button(/^Continue to transfer/).click();
    await checkout.see("instructions");
  }

  test("a shop that locks nothing leaves the choice, and the arrow keys make it", async () => {
    const page = await visit("B", {}, {});
    const checkout = await open(page);
    await checkout.choose("Sell");
    await checkout.frame.getByRole("heading", { level: 1, name: /^Sell BTC/ }).waitFor();
    await checkout.choose("Swap");
    await checkout.frame.getByRole("heading", { level: 1, name: /^Swap BTC for/ }).waitFor();
    await checkout.choose("Transfer");
    await checkout.frame.getByRole("heading", { level: 1, name: /^Exchange / }).waitFor();
    await checkout.type("You pay", "250");
    await checkout.seePrice();
  });

  test("an order that waits for its money is found again after a reload, and can be cancelled", async () => {
    const page = await visit("B");
    const first = await open(page);
    await payByBank(first);
    const orderId = await first.orderNumber();
    await page.reload();
    await page.getByRole("button", { name: "Buy" }).click();
    const again = new CheckoutPage(page);
    await again.see("instructions");
    expect(await again.orderNumber()).toBe(orderId);
    await again.button("Cancel order").click();
    await again.button("Keep order").click();
    await again.see("instructions");
    await again.button("Cancel order").click();
    await again.frame.getByRole("dialog").getByRole("button", { name: "Cancel order" }).click();
    await again.see("cancelled");
    expect(await orderOf(orderId)).toMatchObject({
      status: "cancelled",
      statusReason: "user_cancelled",
    });
  });

  test("what is missing is told, and the rest completes the order", async () => {
    const checkout = await open(await visit("B"));
    await payByBank(checkout);
    const orderId = await checkout.orderNumber();
    await deposit({ orderId, amount: 60 });
    await checkout.see("underpaid");
    await checkout.frame
      .getByText(/We received €60.00 of €100.00/)
      .first()
      .waitFor();
    await checkout.frame.getByText("€40.00").first().waitFor();
    await deposit({ orderId });
    await checkout.see("done");
  });

  test("on a screen of 320 pixels and in text of twice the size nothing is cut off", async () => {
    const page = await visit("S", { viewport: { width: 320, height: 640 } }, {});
    const checkout = await open(page);
    const examine = async (name: string): Promise<void> => {
      await shoot(page, "phone-light", `narrow-${name}`);
      const html = checkout.frame.locator("html");
      const over = () => html.evaluate((root) => root.scrollWidth - root.clientWidth);
      expect(await over(), name).toBe(0);
      await html.evaluate((root) => root.style.setProperty("font-size", "200%"));
      await shoot(page, "phone-light", `large-${name}`);
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
    await checkout.button(/^Continue to send/).click();
    await checkout.see("instructions");
    await checkout.frame.getByRole("img", { name: /QR code/ }).waitFor();
    await examine("deposit");
  });
});
