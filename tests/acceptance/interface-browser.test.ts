import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { CARDS } from "../support/orders/purchase.ts";

const service = inject("service");
/** Of the shop's page. */
declare const token: string;
/** The only scope values that the interface names. */
const EXAMPLE_SCOPES = ["wallet.read", "merchant.read"];

let visits: PopupVisits;

describe.runIf(hasBrowser)("the interface: browser SDK", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  test("4.2 Browser SDK: the global is window.exchange, with configure and init", async () => {
    const page = await visits.visit("B");
    const types = await page.evaluate(() => {
      const sdk = window.exchange as unknown as Record<string, unknown>;
      return [typeof sdk["configure"], typeof sdk["init"]];
    });
    expect(types).toEqual(["function", "function"]);
  });

  test.each(["clientId", "env"])("4.2 Browser SDK: configure requires %s", async (name) => {
    const page = await visits.visit("B");
    const refused = await page.evaluate((missing) => {
      const options: Record<string, string> = { clientId: "client_dev_X", env: "dev" };
      delete options[missing];
      const sdk = window.exchange as unknown as { configure(options: object): void };
      try {
        sdk.configure(options);
        return "accepted";
      } catch {
        return "refused";
      }
    }, name);
    expect(refused).toBe("refused");
  });

  test.each([
    ["baseCurrency", "cad"],
    ["targetCurrency", "BTC"],
    ["baseAmount", 100],
    ["targetAmount", 0.01],
    ["paymentMethod", "card"],
    ["walletAddress", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
  ])("4.2 Browser SDK: configure takes the optional %s", async (name, value) => {
    const page = await visits.visit("B");
    const result = await page.evaluate(
      (option) => {
        const script = document.querySelector<HTMLScriptElement>("script[src*='exchange.js']");
        const clientId = new URL(script?.src ?? "").searchParams.get("clientId");
        const sdk = window.exchange as unknown as { configure(options: object): void };
        sdk.configure({ clientId, env: "dev", ...option });
        return "accepted";
      },
      { [name]: value },
    );
    expect(result).toBe("accepted");
  });

  test.each([
    ["EUR", "btc", "Buy BTC"],
    ["eth", "EUR", "Sell ETH"],
    ["ETH", "usdt-tron", "Swap ETH for USDT"],
    ["gbp", "eur", "Exchange GBP for EUR"],
  ])(
    "4.2 Browser SDK: configure with %s and %s opens on that exchange",
    async (base, target, title) => {
      const page = await visits.visit("B", {}, {});
      await page.evaluate(
        ([baseCurrency, targetCurrency]) => {
          const script = document.querySelector<HTMLScriptElement>("script[src*='exchange.js']");
          const clientId = new URL(script?.src ?? "").searchParams.get("clientId");
          const sdk = window.exchange as unknown as { configure(options: object): void };
          sdk.configure({ clientId, env: "dev", baseCurrency, targetCurrency, baseAmount: 200 });
          void window.exchange.init({ authenticationToken: token });
        },
        [base, target],
      );
      const { frame } = new CheckoutPage(page);
      await frame.getByRole("heading", { name: title, exact: true }).waitFor();
      expect(await page.evaluate(() => window.events)).not.toContain("optionIgnored");
    },
  );

  test("4.2 Browser SDK: init requires the authenticationToken", async () => {
    const page = await visits.visit("B");
    const refused = await page.evaluate(async () => {
      try {
        await window.exchange.init({} as never);
        return "accepted";
      } catch {
        return "refused";
      }
    });
    expect(refused).toBe("refused");
  });

  test("4.2 Browser SDK: init opens the popup in response to a button", async () => {
    const checkout = await visits.open(await visits.visit("B"));
    await checkout.see("amount");
  });

  test("4.2 Browser SDK: without currencies the merchant's defaults are used", async () => {
    const page = await visits.visit("B", {}, {});
    await page.evaluate(() => {
      const sdk = window.exchange as unknown as { configure(options: object): void };
      const script = document.querySelector<HTMLScriptElement>("script[src*='exchange.js']");
      const clientId = new URL(script?.src ?? "").searchParams.get("clientId");
      sdk.configure({ clientId, env: "dev" });
    });
    await page.keyboard.press("Enter");
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
  });

  test("5 Authentication: a token of the interface's own scopes buys in a checkout that works", async () => {
    const page = await visits.visit("B", {}, { operationType: "B" }, EXAMPLE_SCOPES);
    const checkout = await visits.open(page);
    await checkout.goTo("review", CARDS.visa, async (screen) => {
      // The frequency of section 1.
      const frequency = checkout.frame.getByText("One time", { exact: true });
      if (screen === "card") await frequency.first().waitFor();
    });
    await checkout.pay();
    await checkout.see("done");
    const order = await visits.orderOf(await checkout.orderNumber());
    expect(order.status).toBe("completed");
  });

  test("5 Authentication: with those scopes an order can be cancelled in the popup", async () => {
    const page = await visits.visit("S", {}, { operationType: "S" }, EXAMPLE_SCOPES);
    const checkout = await visits.open(page);
    await checkout.continue();
    await checkout.see("delivery");
    await checkout.continue();
    await checkout.see("payout");
    await checkout.frame.getByLabel("Account holder's full name").fill("Ada Lovelace");
    await checkout.frame.getByLabel("IBAN").fill("DE89370400440532013000");
    await checkout.continue();
    await checkout.see("review");
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    await checkout.button(/^Cancel (the |this )?order/).click();
    const question = checkout.frame.getByRole("dialog");
    await question.getByRole("button", { name: /cancel/i }).click();
    await checkout.see("cancelled");
  });
});
