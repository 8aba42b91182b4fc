import type { CheckoutOrderData } from "@exchange/contract";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { BITCOIN_ADDRESS, NOW, ok } from "./answers.ts";
import { type Opening, startCheckout } from "./checkout.ts";
import { attempt, cardOrder, coinOrder, deposit } from "./orders.ts";
import { EUR_FOR_BTC, see, seePrice, toMethod, withOrder } from "./scenes/scene.ts";

/** Customers without a mouse go on from where they were. */
describe.runIf(hasBrowser)("the focus", () => {
  let browser: Browser;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  beforeAll(async () => {
    browser = await openBrowser();
    checkout = await startCheckout();
  });
  afterEach(() => closePages(browser));
  afterAll(() => checkout.close());

  async function open(opening: Opening, look: object = LOOKS["phone-light"]): Promise<Page> {
    const page = await openPage(browser, { locale: "en-US", reducedMotion: "reduce", ...look });
    await page.clock.install({ time: NOW });
    await page.goto(checkout.addressFor(opening));
    await see(page, "main:not([aria-busy]) #screen-title");
    return page;
  }
  const openOrder = (order: CheckoutOrderData) => open({ answers: withOrder(order) });
  const title = (page: Page) => page.locator("#screen-title");
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  const isOn = (place: Locator) =>
    expect.poll(() => place.evaluate((each) => each === document.activeElement)).toBe(true);

  const PICKERS = ["spend", "receive"] as const;
  test.each(PICKERS)(
    "is on the button of the %s currency after its list was closed",
    async (side) => {
      for (const look of [LOOKS["phone-light"], LOOKS["desktop-dark"]]) {
        const page = await open({ options: EUR_FOR_BTC }, look);
        await seePrice(page);
        const opener = page.locator(`#amount-${side} + .pill`);
        await opener.press("Enter");
        await see(page, "#currency-search");
        await page.keyboard.press("Escape");
        await isOn(opener);
        await opener.press("Enter");
        await page.locator("#currency-search").fill(side === "spend" ? "US dollar" : "XRP");
        await page.locator("#currency-search").press("Enter");
        await isOn(opener);
        expect(await opener.textContent()).toContain(side === "spend" ? "USD" : "XRP");
        await opener.press("Enter");
        await see(page, "#currency-search");
        await page.goBack();
        await isOn(opener);
        expect(await axeFaults(page)).toEqual([]);
      }
    },
  );

  test("is on the heading of the first screen for a customer who came back from the second", async () => {
    const page = await open({ options: EUR_FOR_BTC });
    await toMethod(page);
    await button(page, "Back").press("Enter");
    await see(page, "#amount-spend");
    await isOn(title(page));
  });

  test("goes to the heading with the button that a new status took away", async () => {
    const page = await openOrder(cardOrder({ payment: attempt("declined") }));
    const retry = button(page, "Try another card");
    await retry.focus();
    const expired = cardOrder({ status: "expired", statusReason: "payment_timeout" });
    checkout.answer(withOrder(expired));
    await title(page).filter({ hasText: "Your order has expired" }).waitFor();
    await isOn(title(page));
    expect(await axeFaults(page)).toEqual([]);
  });

  test("goes to the heading after an order was cancelled in a question", async () => {
    const page = await openOrder(cardOrder({ payment: attempt("declined") }));
    const cancelled = cardOrder({ status: "cancelled", statusReason: "user_cancelled" });
    checkout.answer({ "POST /orders/:id/cancel": () => ok(cancelled) });
    await button(page, "Cancel order").press("Enter");
    await page.locator("dialog .second-button").press("Enter");
    await title(page).filter({ hasText: "Your order was cancelled" }).waitFor();
    await isOn(title(page));
  });

  test("stays on a button that a new status leaves on the screen", async () => {
    const page = await openOrder(cardOrder({ status: "processing", payment: attempt("captured") }));
    const copy = button(page, "Copy: Order number");
    await copy.focus();
    checkout.answer(withOrder(cardOrder({ status: "sending", payment: attempt("captured") })));
    await title(page).filter({ hasText: "Sending your BTC" }).waitFor();
    await isOn(copy);
  });

  test("stays in the form of another refund address, which is empty and not wrong once it was sent", async () => {
    const short = coinOrder({
      status: "in_review",
      statusReason: "underpaid",
      refundAddress: BITCOIN_ADDRESS,
      payment: { received: 0.004, deposits: [deposit({ amount: 0.004, status: "final" })] },
    });
    const page = await openOrder(short);
    const other = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";
    const requested = { ...short, requestedRefundAddress: other };
    checkout.answer({
      "POST /orders/:id/refund_address": () => {
        checkout.answer(withOrder(requested));
        return ok(requested);
      },
    });
    await page.getByText("Use another refund address").click();
    const ask = button(page, "Request this address");
    await ask.press("Enter");
    const field = page.getByLabel("Refund address");
    await isOn(field);
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill(other);
    await ask.press("Enter");
    await page.getByText("Requested address").waitFor();
    await isOn(ask);
    expect(await field.inputValue()).toBe("");
    expect(await field.getAttribute("aria-invalid")).toBeNull();
    expect(await axeFaults(page)).toEqual([]);
  });
});
