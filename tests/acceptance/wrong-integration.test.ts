import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser } from "../support/browser/browser.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";

const service = inject("service");
/** Without the timers that give up after 10 and 15 seconds without an answer. A message that comes at once needs no timer. */
const WITHOUT_LIMIT = `{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => (after >= 10000 ? 0 : start(callback, after, ...values));
}`;

let visits: PopupVisits;
let shop: ShopPage;
let merchant: Merchant;

describe.runIf(hasBrowser)("a page that is not set up right", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
    shop = await startShopPage(service);
    merchant = await createMerchant(service, "https://www.shop.example");
  });
  afterEach(() => visits.closePages());
  afterAll(async () => {
    shop.close();
    await visits.close();
  });

  /** Opens the shop's page of a client, and notes the errors in its console. */
  async function visit(clientId: string): Promise<{ page: Page; errors: string[] }> {
    const context = await visits.browser.newContext();
    context.setDefaultTimeout(60_000);
    await context.addInitScript(WITHOUT_LIMIT);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.goto(shop.addressFor(clientId, "a.public.token"));
    await page.getByRole("button", { name: "Buy" }).click();
    return { page, errors };
  }

  test("a wrong origin is said at once, with the command that mends it in the console", async () => {
    const { page, errors } = await visit(merchant.clientId);
    const frame = page.frameLocator("[data-exchange] iframe");
    await frame.getByText("Checkout isn't set up for this page yet.").waitFor();
    const command = `exchange merchant update --client ${merchant.clientId} --add-origin ${shop.origin}`;
    await expect.poll(() => errors.join("\n")).toContain(command);
    expect(await axeFaults(page)).toEqual([]);
    await frame.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.evaluate("results.length")).toBe(1);
    expect(
      await page.evaluate(
        "results.map(({ outcome, reason, error }) => [outcome, reason, error.code])",
      ),
    ).toEqual([["failed", "origin_not_allowed", "origin_not_allowed"]]);
  });

  test("an unknown client is said when the script is loaded, and init throws", async () => {
    const { page, errors } = await visit("nope");
    await expect.poll(() => errors.join("\n")).toContain("exchange merchant list");
    const code = await page.evaluate(
      "(() => { try { exchange.init({}) } catch ({ code }) { return code } })()",
    );
    expect(code).toBe("unknown_client");
  });
});
