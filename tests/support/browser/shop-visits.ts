import type { Browser, BrowserContext, Page } from "playwright-core";
import { createMerchant, type Merchant } from "../orders/merchant.ts";
import { startSession } from "../orders/purchase.ts";
import type { Service } from "../service/service.ts";
import { closePages, openBrowser } from "./browser.ts";
import { type ShopPage, startShopPage } from "./shop-page.ts";

/** A browser, a merchant with its page, and a page of another origin with the same script. */
export interface ShopVisits {
  readonly merchant: Merchant;
  readonly shop: ShopPage;
  readonly foreign: ShopPage;
  readonly browser: Browser;
  /** Opens a page with a new session's token, in a browser context that `prepare` may change first. */
  visit(visit?: {
    readonly site?: ShopPage;
    readonly prepare?: (context: BrowserContext) => unknown;
  }): Promise<{ readonly page: Page; readonly token: string }>;
  closePages(): Promise<unknown>;
  close(): Promise<void>;
}

export async function startShopVisits(service: Service): Promise<ShopVisits> {
  const browser = await openBrowser();
  const shop = await startShopPage(service, "127.0.0.1");
  const foreign = await startShopPage(service, "127.0.0.1");
  const merchant = await createMerchant(service, shop.origin);
  return {
    merchant,
    shop,
    foreign,
    browser,
    async visit({ site = shop, prepare } = {}) {
      const { token } = await startSession(service, merchant);
      const context = await browser.newContext();
      context.setDefaultTimeout(60_000);
      await prepare?.(context);
      const page = await context.newPage();
      await page.goto(site.addressFor(merchant.clientId, token));
      return { page, token };
    },
    closePages: () => closePages(browser),
    async close() {
      await closePages(browser);
      shop.close();
      foreign.close();
    },
  };
}
