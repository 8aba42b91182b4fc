import type { OperationType, OrderData } from "@exchange/contract";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { createMerchant, createToken, merchantCall, newSessionId } from "../orders/merchant.ts";
import type { Ok } from "../orders/purchase.ts";
import type { Service } from "../service/service.ts";
import { closePages, openBrowser, openPage } from "./browser.ts";
import { CheckoutPage } from "./checkout-page.ts";
import { startShopPage } from "./shop-page.ts";

/** The exchange of a customer in Germany, by operation. */
const AMOUNTS: Readonly<Record<OperationType, object>> = {
  B: { baseCurrency: "eur", baseAmount: 100, targetCurrency: "btc" },
  S: { baseCurrency: "btc", baseAmount: 0.01, targetCurrency: "eur" },
  CC: { baseCurrency: "eth", baseAmount: 0.5, targetCurrency: "btc" },
  FF: { baseCurrency: "eur", baseAmount: 100, targetCurrency: "usd" },
};

export interface PopupVisits {
  readonly browser: Browser;
  /**
   * Opens a page that offers an operation; its button has the focus. `lock` has the terms of its server, and
   * `scope` the scopes of its token.
   */
  visit(
    operation: OperationType,
    look?: BrowserContextOptions,
    lock?: object,
    scope?: readonly string[],
  ): Promise<Page>;
  /** Opens the popup by keyboard, and waits for a price. */
  open(page: Page): Promise<CheckoutPage>;
  /** Makes a sandbox payment arrive, as the shop's server can. */
  deposit(body: object): Promise<{ readonly depositId: string }>;
  orderOf(orderId: number): Promise<OrderData>;
  /** Closes the page of an order, as its shop can. */
  revokePage(orderId: number): Promise<void>;
  /** Moves the sandbox's business time forward. */
  advanceClock(seconds: number): Promise<void>;
  closePages(): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a browser, a page of a shop, and its merchant. */
export async function startPopupVisits(service: Service): Promise<PopupVisits> {
  const browser = await openBrowser();
  const shop = await startShopPage(service);
  const merchant = await createMerchant(service, shop.origin);
  return {
    browser,
    async visit(operationType, look = {}, lock = { operationType }, scope = []) {
      const sessionId = newSessionId();
      const customer = { countryCode: "DE" };
      const created = await createToken(service, merchant, { sessionId, scope, lock, customer });
      const page = await openPage(browser, { viewport: { width: 1280, height: 900 }, ...look });
      const options = { operationType, ...AMOUNTS[operationType] };
      const { accessToken } = created.body.data;
      await page.goto(shop.addressFor(merchant.clientId, accessToken, options));
      await page.keyboard.press("Tab");
      return page;
    },
    async open(page) {
      await page.keyboard.press("Enter");
      const checkout = new CheckoutPage(page);
      await checkout.see("amount");
      await checkout.seePrice();
      return checkout;
    },
    async deposit(body) {
      const path = "/v1/sandbox/deposits";
      const request = { method: "POST", path, body } as const;
      const answer = await merchantCall<Ok<{ depositId: string }>>(service, merchant, request);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    },
    async orderOf(orderId) {
      const request = { path: `/v1/orders/${orderId}` };
      return (await merchantCall<Ok<OrderData>>(service, merchant, request)).body.data;
    },
    async revokePage(orderId) {
      const path = `/v1/orders/${orderId}/revoke_customer_url`;
      const answer = await merchantCall(service, merchant, { method: "POST", path });
      expect(answer.status, answer.text).toBe(200);
    },
    async advanceClock(advanceSeconds) {
      const path = "/v1/sandbox/clock";
      const request = { method: "POST", path, body: { advanceSeconds } } as const;
      const answer = await merchantCall(service, merchant, request);
      expect(answer.status, answer.text).toBe(200);
    },
    closePages: () => closePages(browser),
    async close() {
      await closePages(browser);
      shop.close();
    },
  };
}

/** Buys by bank transfer, up to the screen with the account number. */
export async function payByBank(checkout: CheckoutPage): Promise<void> {
  const isFixed = await checkout.isFixed();
  const pickBank = () => checkout.frame.getByLabel(/^SEPA bank transfer/).check();
  if (!isFixed) {
    await checkout.continue();
    await checkout.see("method");
    await pickBank();
    await checkout.continue();
  }
  await checkout.see("wallet");
  await checkout.typeAddress();
  await checkout.continue();
  await checkout.see("review");
  if (isFixed) await pickBank();
  await checkout.button(/^Place order and see the account/).click();
  await checkout.see("instructions");
}
