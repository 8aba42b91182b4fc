import type { CheckoutQuoteRequest, PaymentMethodItem } from "@exchange/contract";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { NOW, ok, quoteFor, type Reply, refused, session } from "./answers.ts";
import { methodsOf } from "./catalogue.ts";
import { type Answers, startCheckout } from "./checkout.ts";
import { fillTestCard, next, see, typeAddress } from "./scenes/scene.ts";

const WIRE: PaymentMethodItem = {
  id: 13,
  name: "International wire transfer",
  reference: "wire",
  type: "bank_transfer",
  live: false,
  currencyCodes: null,
  time: { minDays: 1, maxDays: 5 },
  paymentWindowSeconds: 864_000,
  deliveryMethods: [],
};
const IDEAL: PaymentMethodItem = { ...WIRE, id: 11, name: "iDEAL", reference: "ideal" };
const CASH: PaymentMethodItem = { ...WIRE, id: 18, name: "Cash", reference: "cash" };
const WIRE_MIN = { min: 400, max: 5_000, currencyCode: "EUR" };

/** A service whose wire transfer begins at €400, whose iDEAL ends at €50, and which takes no cash now. */
function quote(request: CheckoutQuoteRequest): Reply {
  if (request.paymentMethodId !== WIRE.id) {
    const limit = { amount: 400, currencyCode: "EUR" };
    return quoteFor(request, {
      outsideLimits: [
        { methodId: WIRE.id, bound: "min", limit },
        { methodId: IDEAL.id, bound: "max", limit: { ...limit, amount: 50 } },
      ],
    });
  }
  const details = [{ path: "baseAmount", issue: "AMOUNT_BELOW_MINIMUM", ...WIRE_MIN }];
  return refused(400, "AMOUNT_BELOW_MINIMUM", { details });
}

/** The customer's part of a purchase whose operation, currencies and amount the merchant's server fixed. */
describe.runIf(hasBrowser)("a fixed purchase", () => {
  let browser: Browser;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  beforeAll(async () => {
    browser = await openBrowser();
    checkout = await startCheckout();
  });
  afterEach(() => closePages(browser));
  afterAll(() => checkout.close());

  /** Opens the screen with the methods and the pay button. Returns the page and every price request. */
  async function openPayment(lock: object = {}, methods = [...methodsOf("B"), WIRE]) {
    const fixed = {
      operationType: "B",
      baseCurrency: "eur",
      baseAmount: 100,
      targetCurrency: "btc",
    };
    const requests: CheckoutQuoteRequest[] = [];
    const answers: Answers = {
      "GET /session": () => ok(session({ lock: { ...fixed, ...lock } as never })),
      "GET /payment-methods": () => ok(methods),
      "POST /quotes": ({ body }) => {
        requests.push(body as CheckoutQuoteRequest);
        return quote(body as CheckoutQuoteRequest);
      },
    };
    const page = await openPage(browser, LOOKS["phone-light"]);
    await page.clock.setFixedTime(NOW);
    await page.goto(checkout.addressFor({ answers }));
    await typeAddress(page);
    await next(page);
    await see(page, "#screen-title");
    return { page, requests };
  }
  const choice = (page: Page, name: RegExp) => page.locator(".choice", { hasText: name });
  const pick = (page: Page, name: RegExp) => choice(page, name).locator("input").check();
  const button = (page: Page) => page.locator(".main .main-button");

  test("a method above the amount says so by name, shows no price, and leads to the others", async () => {
    const { page } = await openPayment();
    await page.getByText(/Price held for/).waitFor();
    await pick(page, /wire/);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toBe(
      "International wire transfer takes at least €400.00. Choose another way to pay.",
    );
    expect(await choice(page, /wire/).innerText()).toContain("From €400.00");
    expect(await page.getByText(/Price held for|Total cost/).count()).toBe(0);
    expect(await page.locator(".headline").innerText()).toMatch(/€100\.00/);
    expect(await page.locator(".headline").innerText()).not.toMatch(/BTC/);
    expect(await button(page).getAttribute("aria-disabled")).toBeNull();
    expect(await button(page).locator(".spinner").count()).toBe(0);
    await button(page).click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("quote-fault");
    await pick(page, /SEPA/);
    await page.getByRole("button", { name: "Place order and see the account" }).waitFor();
    await page.getByText(/Price held for/).waitFor();
    expect(await alert.count()).toBe(0);
    expect(await button(page).getAttribute("aria-disabled")).toBeNull();
  });

  test("every method says what it brings, from one request, and the best is marked", async () => {
    const { page, requests } = await openPayment();
    await choice(page, /SEPA/).getByText("Best value").waitFor();
    expect(await choice(page, /SEPA/).innerText()).toMatch(/0\.0016694\sBTC/);
    expect(await choice(page, /card/).innerText()).toMatch(/0\.00163667\sBTC/);
    expect(await choice(page, /card/).getByText("Best value").count()).toBe(0);
    expect(await choice(page, /wire/).innerText()).toContain("From €400.00");
    expect(requests.map(({ alternatives }) => alternatives)).toEqual(["paymentMethods"]);
    // The methods keep their amounts while one of them has no price.
    await pick(page, /wire/);
    await page.getByRole("alert").waitFor();
    expect(await choice(page, /SEPA/).innerText()).toMatch(/Best value/);
    expect(await choice(page, /wire/).innerText()).toContain("From €400.00");
  });

  test("a method that does not fit states the limit it has, or that it does not take this amount", async () => {
    const { page } = await openPayment({}, [...methodsOf("B"), WIRE, IDEAL, CASH]);
    await choice(page, /wire/).getByText("From €400.00", { exact: true }).waitFor();
    await choice(page, /iDEAL/).getByText("Up to €50.00", { exact: true }).waitFor();
    await choice(page, /Cash/).getByText("Not for this amount", { exact: true }).waitFor();
    expect(await choice(page, /card/).innerText()).not.toMatch(/From|Up to|Not for/);
  });

  test("the first method does not fit: the others can still be chosen", async () => {
    const { page } = await openPayment({}, [WIRE, ...methodsOf("B")]);
    await page.getByText(/^International wire transfer takes at least €400\.00\./).waitFor();
    expect(await choice(page, /SEPA/).locator(".choice-result").count()).toBe(0);
    expect(await page.locator(".headline").innerText()).toMatch(/€100\.00/);
    await pick(page, /card/);
    await fillTestCard(page);
    const pay = page.getByRole("button", { name: "Pay €100.00" });
    await pay.waitFor();
    expect(await pay.getAttribute("aria-disabled")).toBeNull();
  });

  test("a fixed method that does not fit is named, and no other is offered", async () => {
    const { page } = await openPayment({ paymentMethod: "wire" });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toBe("International wire transfer takes at least €400.00.");
  });
});
