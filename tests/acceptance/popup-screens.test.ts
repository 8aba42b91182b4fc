import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults, hasBrowser, LOOKS, shoot } from "../support/browser.ts";
import { type PopupVisits, payByBank, startPopupVisits } from "../support/popup-visits.ts";

const service = inject("service");
const IBAN = "DE89 3704 0044 0532 0130 00";

let visits: PopupVisits;

describe.runIf(hasBrowser)("the popup's screens for coins and accounts", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  // Together they have both themes and both widths: each screen is looked at in every one of these.
  test.each(["desktop-light", "phone-dark"] as const)(
    "has nothing that axe finds wrong: %s",
    async (look) => {
      const faults: string[] = [];
      const examine = async (page: Page, name: string): Promise<void> => {
        await shoot(page, look, name);
        faults.push(...(await axeFaults(page)).map((fault) => `${name}: ${fault}`));
      };
      const selling = await visits.visit("S", LOOKS[look], {});
      const sale = await visits.open(selling);
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
      await sale.button(/^Continue to send/).click();
      await sale.see("instructions");
      await sale.frame.getByRole("img", { name: /QR code/ }).waitFor();
      for (const summary of await sale.frame.locator("summary").all()) await summary.click();
      await examine(selling, "deposit");
      await visits.deposit({ orderId: await sale.orderNumber(), amount: 0.004 });
      await sale.see("underpaid");
      await sale.frame.getByText("Still missing").waitFor();
      await examine(selling, "underpaid");

      const buying = await visits.visit("B", LOOKS[look]);
      const purchase = await visits.open(buying);
      await payByBank(purchase);
      await examine(buying, "bank-transfer");
      await purchase.button("Cancel order").click();
      await purchase.frame.getByRole("heading", { name: "Cancel this order?" }).waitFor();
      await examine(buying, "cancel");
      expect(faults).toEqual([]);
    },
  );

  test("on a screen of 320 pixels and in text of twice the size nothing is cut off", async () => {
    const page = await visits.visit("S", { viewport: { width: 320, height: 640 } }, {});
    const checkout = await visits.open(page);
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

  test("screens that could not be fetched are fetched again, and nothing typed is lost", async () => {
    const page = await visits.visit("B");
    let isCut = true;
    await page.route(/\/assets\/later-/, (route) => (isCut ? route.abort() : route.continue()));
    const checkout = await visits.open(page);
    await checkout.continue();
    await checkout.frame.getByRole("heading", { name: "We can't reach checkout" }).waitFor();
    isCut = false;
    await checkout.button("Try again").click();
    await checkout.see("method");
    await checkout.frame.getByText("€100.00").first().waitFor();
  });
});
