import type { OrderData } from "@exchange/contract";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { hasBrowser, recordRequests } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, payByBank, startPopupVisits } from "../support/browser/popup-visits.ts";
import { BITCOIN_ADDRESS, CARDS } from "../support/orders/purchase.ts";

const service = inject("service");
const ETHEREUM_ADDRESS = "0xde709f2102306220921060314715629080e2fb77";
const CHALLENGED = "4000000000002503";
const DECLINED = "4000000000000002";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

let visits: PopupVisits;

describe.runIf(hasBrowser)("the page of an order, on another device", () => {
  beforeAll(async () => {
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  const linkOf = ({ customerUrl }: OrderData): string => customerUrl ?? "";

  /** Leaves the shop for good, and opens the order's page in another browser. */
  async function comeBack(orderId: number, look: BrowserContextOptions = PHONE) {
    await visits.closePages();
    const link = linkOf(await visits.orderOf(orderId));
    const context = await visits.browser.newContext(look);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const requests = recordRequests(page);
    await page.goto(link);
    return { checkout: new CheckoutPage(page, page.locator(":root")), page, requests, link };
  }

  /** Reads the number of the order that the merchant's latest calls made. */
  const numberIn = async (checkout: CheckoutPage): Promise<number> => {
    await checkout.frame.getByText("Order number").waitFor();
    return checkout.orderNumber();
  };

  test("a bank transfer is found again with its account, and followed to its end", async () => {
    const popup = await visits.open(await visits.visit("B"));
    await payByBank(popup);
    const orderId = await numberIn(popup);
    const { checkout, page, requests, link } = await comeBack(orderId);
    await checkout.see("instructions");
    const { payment } = await visits.orderOf(orderId);
    const { reference } = payment.instructions ?? {};
    await page
      .getByLabel("Payment details")
      .getByText(reference ?? "none")
      .waitFor();
    await page.getByText("Show the link as a QR code").click();
    await page.getByRole("img", { name: "QR code with the link to this order" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await visits.deposit({ orderId });
    await checkout.see("done");
    expect(await axeFaults(page)).toEqual([]);
    // The secret goes into the address of the document alone, and nothing is loaded from elsewhere.
    const secret = link.split("/o/")[1] ?? "none";
    const { origin } = new URL(link);
    expect(requests.filter((line) => line.includes(secret))).toEqual([`GET ${link} `]);
    expect(requests.filter((line) => !line.split(" ")[1]?.startsWith(origin))).toEqual([]);
  });

  /** Places a swap. Returns the popup on the screen that says where to send the coins. */
  async function swap(): Promise<CheckoutPage> {
    const popup = await visits.open(await visits.visit("CC"));
    await popup.continue();
    await popup.see("wallet");
    await popup.typeAddress(BITCOIN_ADDRESS);
    await popup.continue();
    await popup.see("review");
    await popup.button(/^Place order and see the address/).click();
    await popup.see("instructions");
    return popup;
  }

  test("coins are paid there, and followed to their end", async () => {
    const orderId = await numberIn(await swap());
    const { checkout, page } = await comeBack(orderId);
    await checkout.see("instructions");
    const { payment } = await visits.orderOf(orderId);
    await page.getByText(payment.instructions?.walletAddress ?? "none").waitFor();
    await page.getByRole("link", { name: "Open in wallet" }).waitFor();
    await visits.deposit({ orderId });
    await checkout.see("done");
    expect(await axeFaults(page)).toEqual([]);
  });

  test("the refund address of coins is named there, or their order is cancelled", async () => {
    const popup = await swap();
    await popup.frame.getByRole("heading", { name: "Come back to this order anytime" }).waitFor();
    const { checkout, page } = await comeBack(await numberIn(popup), { locale: "en-US" });
    await checkout.see("instructions");
    await page.getByRole("img", { name: /QR code to send/ }).waitFor();
    await page.getByText("Where should we send your coins", { exact: false }).click();
    await checkout.type("Refund address", ETHEREUM_ADDRESS);
    await checkout.press("Save address");
    await page.locator("dt", { hasText: "Refund address" }).waitFor();
    await checkout.press("Cancel order");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel order" }).click();
    await checkout.see("cancelled");
    expect(await page.getByRole("button", { name: /^Back to/ }).count()).toBe(0);
  });

  test("a bank's challenge goes on where it was left", async () => {
    const page = await visits.visit("B");
    const popup = await visits.open(page);
    await popup.goTo("review", CHALLENGED);
    const placed = page.waitForResponse(/\/checkout\/orders$/);
    await popup.button(/^Pay /).click();
    await popup.see("challenge");
    const { orderId } = (await (await placed).json()).data as OrderData;
    const { checkout } = await comeBack(orderId);
    await checkout.see("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    await bank.getByRole("button", { name: /confirm|approve/i }).click();
    await checkout.see("done");
  });

  test("a declined card is followed by another one", async () => {
    const popup = await visits.open(await visits.visit("B"));
    await popup.goTo("review", DECLINED);
    await popup.button(/^Pay /).click();
    await popup.see("declined");
    const { checkout } = await comeBack(await numberIn(popup));
    await checkout.see("declined");
    await checkout.button("Try another card").click();
    await checkout.typeCard(CARDS.visa);
    await checkout.button(/^Pay /).click();
    await checkout.see("done");
  });

  test("a used session leads there, and a link that the shop withdrew says so", async () => {
    const page = await visits.visit("B");
    const popup = await visits.open(page);
    await payByBank(popup);
    const orderId = await numberIn(popup);
    await visits.deposit({ orderId, amount: 40 });
    await popup.see("underpaid");
    await page.reload();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await popup.see("underpaid");
    const link = linkOf(await visits.orderOf(orderId));
    const open = popup.frame.getByRole("link", { name: "Open the page of this order" });
    expect(await open.getAttribute("href")).toBe(link);
    await visits.revokePage(orderId);
    await page.goto(link);
    await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
