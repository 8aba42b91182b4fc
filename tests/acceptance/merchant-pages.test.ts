import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import { exchangeHere } from "../support/service/command-line.ts";

const service = inject("service");

let visits: PopupVisits;
let shop: ShopPage;

describe.runIf(hasBrowser)("the page of a merchant", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
    shop = await startShopPage(service, "localhost", "env=dev");
  });
  afterAll(async () => {
    shop.close();
    await visits.close();
  });

  /** Opens the checkout on the shop's page, in a session that locks nothing. */
  async function open(merchant: Merchant): Promise<CheckoutPage> {
    const { body } = await createToken(service, merchant, { sessionId: newSessionId() });
    const page = await visits.browser.newPage({ locale: "en-US" });
    page.setDefaultTimeout(60_000);
    await page.goto(shop.addressFor(merchant.clientId, body.data.accessToken));
    await page.getByRole("button", { name: "Buy" }).click();
    return new CheckoutPage(page);
  }

  /** Opens the checkout, and returns whether its first screen, after the skeleton, shows a text. */
  async function opensWith(merchant: Merchant, text: string): Promise<boolean> {
    const { page, frame } = await open(merchant);
    await frame.locator("main:not([aria-busy]) h1").waitFor();
    const isShown = await frame.getByText(text).first().isVisible();
    await page.close();
    return isShown;
  }

  test("opens the checkout once an operator has added its origin, and not after it was removed", async () => {
    const merchant = await createMerchant(service, "https://staging.shop.example");
    const update = (option: string, value: string) =>
      exchangeHere(service, "merchant", "update", "--client", merchant.clientId, option, value);
    const refused = "Checkout isn't set up for this page yet.";
    await (await open(merchant)).frame.getByText(refused).waitFor();
    await update("--add-origin", shop.origin);
    await update("--name", "Northwind Tea");
    await expect.poll(() => opensWith(merchant, "Northwind Tea")).toBe(true);
    await update("--remove-origin", shop.origin);
    await expect.poll(() => opensWith(merchant, refused)).toBe(true);
  });

  test("opens with the currency of its merchant's country", async () => {
    const words = ["--name", "Teeladen", "--origin", shop.origin, "--country", "DE"];
    const made = await exchangeHere<{ clientId: string; apiKey: string }>(
      service,
      "merchant",
      "create",
      ...words,
    );
    const headers = { "x-api-key": made.apiKey, "x-client-id": made.clientId };
    await expect
      .poll(
        async () =>
          (await createToken(service, { ...made, headers }, { sessionId: newSessionId() })).status,
      )
      .toBe(201);
    const checkout = await open({ ...made, headers });
    await checkout.see("amount");
    await checkout.button(/^EUR, change the currency/).waitFor();
  });
});
