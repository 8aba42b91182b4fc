import type { OrderData } from "@exchange/contract";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser, recordRequests } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, payByBank, startPopupVisits } from "../support/browser/popup-visits.ts";
import { BITCOIN_ADDRESS, CARDS } from "../support/orders/purchase.ts";

const service = inject("service");
const IBAN = "DE89 3704 0044 0532 0130 00";
const ETHEREUM_ADDRESS = "0xde709f2102306220921060314715629080e2fb77";

let visits: PopupVisits;

describe.runIf(hasBrowser)("the popup, for every operation", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  /** From the instructions on: the money arrives, and the order is followed to its end. */
  async function finish(checkout: CheckoutPage): Promise<OrderData> {
    await checkout.see("instructions");
    const orderId = await checkout.orderNumber();
    await visits.deposit({ orderId });
    await checkout.see("done");
    const order = await visits.orderOf(orderId);
    expect(order.status).toBe("completed");
    await checkout.press("Done");
    await checkout.page.locator("[data-exchange]").waitFor({ state: "detached" });
    return order;
  }

  test("a sale is completed by keyboard alone, paid out to the account that was typed", async () => {
    const checkout = await visits.open(await visits.visit("S"));
    await checkout.press("Continue");
    await checkout.see("delivery");
    await checkout.press("Continue");
    await checkout.see("payout");
    await checkout.type("Account holder's full name", "Ada Lovelace");
    await checkout.type("IBAN", "DE89 3704 0044 0532 0130 01");
    await checkout.press("Continue");
    await checkout.frame
      .getByText(/IBAN isn.t valid/)
      .first()
      .waitFor();
    await checkout.frame.getByLabel("IBAN").fill("");
    await checkout.type("IBAN", IBAN);
    await checkout.type(/refund address/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Place order and see the address/);
    const order = await finish(checkout);
    expect(order).toMatchObject({ operationType: "S", refundAddress: BITCOIN_ADDRESS });
    expect(order.delivery.fields.find(({ name }) => name === "iban")?.value).toMatch(/3000$/);
  });

  test("a swap is completed by keyboard alone, with its confirmations shown as they come", async () => {
    const page = await visits.visit("CC");
    const checkout = await visits.open(page);
    await checkout.press("Continue");
    await checkout.see("wallet");
    await checkout.type(/^Your BTC address$/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Place order and see the address/);
    await checkout.see("instructions");
    await checkout.frame.getByRole("img", { name: /QR code/ }).waitFor();
    const orderId = await checkout.orderNumber();
    const { depositId } = await visits.deposit({ orderId, confirmations: 1 });
    await checkout.see("going");
    await checkout.frame.getByText(/^1 of \d+ confirmations$/).waitFor();
    await checkout.frame.getByText("Where should we send your coins", { exact: false }).click();
    await checkout.type("Refund address", ETHEREUM_ADDRESS);
    await checkout.press("Save address");
    await checkout.frame.locator("dt", { hasText: "Refund address" }).waitFor();
    await visits.deposit({ orderId, depositId });
    await checkout.see("done");
    expect(await visits.orderOf(orderId)).toMatchObject({
      status: "completed",
      refundAddress: ETHEREUM_ADDRESS,
    });
  });

  test("the customer asks for another refund address by keyboard, and the first one counts", async () => {
    const OTHER = "0x27b1fdb04752bbc536007a920d24acb045561c26";
    const page = await visits.visit("CC");
    const checkout = await visits.open(page);
    await checkout.press("Continue");
    await checkout.see("wallet");
    await checkout.type(/^Your BTC address$/, BITCOIN_ADDRESS);
    await checkout.type(/refund address/, ETHEREUM_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Place order and see the address/);
    await checkout.see("instructions");
    const orderId = await checkout.orderNumber();
    const summary = checkout.frame.getByText("Use another refund address");
    await summary.focus();
    await page.keyboard.press("Enter");
    await checkout.type("Refund address", ETHEREUM_ADDRESS.slice(0, -1));
    await checkout.press("Request this address");
    await checkout.frame
      .getByText(/address wasn.t accepted/)
      .first()
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await checkout.frame.getByLabel("Refund address").fill("");
    await checkout.type("Refund address", OTHER);
    await checkout.press("Request this address");
    await checkout.frame.getByText("Requested address").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await visits.orderOf(orderId)).toMatchObject({
      refundAddress: ETHEREUM_ADDRESS,
      requestedRefundAddress: OTHER,
    });
    await checkout.frame.getByLabel("Refund address").fill("");
    await checkout.type("Refund address", ETHEREUM_ADDRESS);
    await checkout.press("Request this address");
    await checkout.frame.getByText("Requested address").waitFor({ state: "detached" });
    expect((await visits.orderOf(orderId)).requestedRefundAddress).toBeNull();
  });

  test("a transfer paid from a bank account reaches a debit card, by keyboard alone", async () => {
    const page = await visits.visit("FF");
    const requests = recordRequests(page);
    const checkout = await visits.open(page);
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
    await checkout.press(/^Place order and see the account/);
    const order = await finish(checkout);
    expect(order.delivery).toMatchObject({ type: "card_push" });
    const carried = requests.filter((line) => line.includes(CARDS.visa));
    expect(carried).toHaveLength(1);
    expect(carried[0]).toContain("/v1/checkout/cards ");
  });

  test("a purchase is paid by bank transfer, by keyboard alone", async () => {
    const checkout = await visits.open(await visits.visit("B"));
    await checkout.press("Continue");
    await checkout.see("method");
    await checkout.choose(/^SEPA bank transfer/);
    await checkout.press("Continue");
    await checkout.see("wallet");
    await checkout.type(/^Your BTC address$/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    await checkout.press(/^Place order and see the account/);
    await checkout.see("instructions");
    await checkout.frame.getByText("Reference", { exact: true }).waitFor();
    expect((await finish(checkout)).quote.paymentMethod.reference).toBe("sepa");
  });

  test("a shop that locks nothing leaves the choice, and the arrow keys make it", async () => {
    const page = await visits.visit("B", {}, {});
    const checkout = await visits.open(page);
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
    const page = await visits.visit("B");
    const first = await visits.open(page);
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
    expect(await visits.orderOf(orderId)).toMatchObject({
      status: "cancelled",
      statusReason: "user_cancelled",
    });
  });

  test("the missing amount is shown, and paying it completes the order", async () => {
    const checkout = await visits.open(await visits.visit("B"));
    await payByBank(checkout);
    const orderId = await checkout.orderNumber();
    await visits.deposit({ orderId, amount: 60 });
    await checkout.see("underpaid");
    await checkout.frame
      .getByText(/We received €60.00 of €100.00/)
      .first()
      .waitFor();
    await checkout.frame.getByText("€40.00").first().waitFor();
    await visits.deposit({ orderId });
    await checkout.see("done");
  });

  test("the demo shop's server makes a bank transfer arrive, and its webhook says paid", async () => {
    const context = await visits.browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(service.shopUrl);
    await page.getByRole("button", { name: "Pay with Exchange" }).click();
    const checkout = new CheckoutPage(page);
    await payByBank(checkout);
    await checkout.button(/^Back to /).click();
    await page.getByRole("button", { name: "Simulate the payment" }).click();
    await page.locator('#purchase[data-status="paid"]').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
