import type { CheckoutOrderData } from "@exchange/contract";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  openPage,
} from "../support/browser/browser.ts";
import { focusSeen, watchFocus } from "../support/browser/late-focus.ts";
import { BITCOIN_ADDRESS, NOW, nowSeconds, ok, refused, XRP_ADDRESS } from "./answers.ts";
import { type Answers, startCheckout } from "./checkout.ts";
import { attempt, bankOrder, cardOrder, coinOrder, deposit, instructions } from "./orders.ts";
import {
  EUR_FOR_BTC,
  fillTestCard,
  inOperation,
  KEEP_ANNOUNCEMENTS,
  next,
  said,
  see,
  seeChoices,
  seePrice,
  toCard,
  toReview,
  toWallet,
  withOrder,
} from "./scenes/scene.ts";

const IBANS = ["DE89370400440532013000", "FR1420041010050500013M02606"];
/** The longest one that a bank has. */
const LONG_IBAN = "LC55HEMM000100010012001200023015";

const withIban = (value: string) =>
  bankOrder({
    payment: {
      instructions: instructions("bank_transfer", { account: [{ label: "IBAN", value }] }),
    },
  });

/** Returns the lines of an element's text as they are laid out. */
const linesOf = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).evaluate((element) => {
    const text = element.firstChild;
    const lines = new Map<number, string>();
    const letters = text?.textContent ?? "";
    for (let at = 0; at < letters.length; at++) {
      const range = document.createRange();
      range.setStart(text as Node, at);
      range.setEnd(text as Node, at + 1);
      const { top } = range.getBoundingClientRect();
      lines.set(top, (lines.get(top) ?? "") + letters[at]);
    }
    return [...lines.values()].map((line) => line.trim());
  });

/** The screens of a customer whose payment does not go as usual. */
describe.runIf(hasBrowser)("a payment", () => {
  let browser: Browser;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  beforeAll(async () => {
    browser = await openBrowser();
    checkout = await startCheckout();
  });
  afterEach(() => closePages(browser));
  afterAll(() => checkout.close());

  async function open(
    order: CheckoutOrderData,
    look: object = LOOKS["phone-light"],
    answers: Answers = {},
  ) {
    const page = await openPage(browser, {
      locale: "en-US",
      reducedMotion: "reduce",
      ...look,
    });
    await page.clock.install({ time: NOW });
    const opening = { answers: { ...withOrder(order), ...answers }, script: KEEP_ANNOUNCEMENTS };
    await page.goto(checkout.addressFor(opening));
    // The page has a title of its own before it has the order.
    await see(page, "main:not([aria-busy]) #screen-title");
    return page;
  }
  const title = (page: Page) => page.locator("#screen-title");
  const isFocused = (page: Page, id: string) =>
    expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe(id);

  test("by card is waited for with a spinner for a minute, and then the customer need not wait", async () => {
    const waiting = cardOrder({ status: "payment_pending", payment: attempt("processing") });
    const page = await open(waiting);
    await page.clock.pauseAt(NOW.getTime() + 57_000);
    await page.clock.runFor(1_000);
    await page.getByText("This takes a few seconds. Keep this window open.").waitFor();
    await page.clock.runFor(3_000);
    await title(page).filter({ hasText: "This is taking longer than usual" }).waitFor();
    await page.clock.resume();
    await isFocused(page, "screen-title");
    const text = await page.locator(".main").innerText();
    expect(text).toContain("Don't pay again: your order continues, even if you close this window.");
    expect(text).toContain("You'll see the result here and on the page of your order.");
    expect(text).not.toContain("Keep this link to pay");
    expect(await page.locator(".spinner").count()).toBe(0);
    await page.getByRole("link", { name: "Open the page of this order" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const paid = cardOrder({ status: "processing", payment: attempt("captured") });
    checkout.answer({ "GET /orders/:id/events": () => ({ events: [paid] }) });
    await title(page).filter({ hasText: "Payment received" }).waitFor();
  });

  test("by card that is opened again is waited for as long on a device whose clock is an hour ahead", async () => {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await page.clock.install({ time: NOW.getTime() + 3_600_000 });
    const waiting = cardOrder({ status: "payment_pending", payment: attempt("processing") });
    await page.goto(checkout.addressFor({ answers: withOrder(waiting) }));
    await see(page, "main:not([aria-busy]) #screen-title");
    await title(page).filter({ hasText: "Checking with your bank" }).waitFor();
    await page.clock.fastForward(61_000);
    await title(page).filter({ hasText: "This is taking longer than usual" }).waitFor();
  });

  test("by another card whose answer is late offers no third card, no other order and no end", async () => {
    const page = await open(cardOrder({ payment: attempt("declined") }));
    await page.getByRole("button", { name: "Try another card" }).click();
    await fillTestCard(page);
    await page.getByLabel("Postal code").fill("10115");
    const pending = cardOrder({ status: "payment_pending", payment: attempt("processing") });
    checkout.answer({
      "POST /orders/:id/payments": () => {
        // The stream opens again every few seconds. An order that is pending before the press would take the button away.
        checkout.answer(withOrder(pending));
        return ok(pending);
      },
    });
    await next(page);
    await title(page).filter({ hasText: "Checking with your bank" }).waitFor();
    await page.clock.fastForward(61_000);
    await title(page).filter({ hasText: "This is taking longer than usual" }).waitFor();
    const text = await page.locator(".main").innerText();
    expect(text).not.toMatch(/Try another card|Cancel order|another order|link to pay/);
    await page.getByRole("button", { name: "Back to Northwind Tea" }).waitFor();
  });

  /** Pays an order whose answer is lost, in a session with a page of the order or without. */
  async function loseAnswer(customerUrl: string | null): Promise<Page> {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await page.clock.install({ time: NOW });
    const answers = { "POST /orders": () => ok(cardOrder({ customerUrl })) };
    await page.goto(checkout.addressFor({ options: EUR_FOR_BTC, answers }));
    await toReview(page);
    const cut = () => "cut" as const;
    checkout.answer({ "POST /orders/:id/payments": cut, "GET /orders/:id": cut });
    await next(page);
    await page
      .getByText("The connection was lost. Checking what happened to your payment…")
      .waitFor();
    return page;
  }

  test("whose answer was lost promises nothing, and leads to the page of the order after a minute", async () => {
    const page = await loseAnswer(cardOrder().customerUrl);
    const link = page.getByRole("link", { name: "Open the page of this order" });
    expect(await link.count()).toBe(0);
    await page.clock.fastForward(61_000);
    await link.waitFor();
    await page.getByText("Keep this link to pay or follow your order on any device.").waitFor();
    const text = await page.locator(".main").innerText();
    expect(text).not.toMatch(/Don't pay again|Try another card|Cancel order/);
    checkout.answer({ "GET /orders/:id": () => ok(cardOrder()) });
    await page.clock.fastForward(16_000);
    await page.getByText("Your payment didn't reach us. Try again.").waitFor();
  });

  test("whose answer was lost ends the spinner, where the order has no page of its own", async () => {
    const page = await loseAnswer(null);
    const leave = page.getByRole("button", { name: "Close checkout" });
    await leave.click();
    await page.getByText("We don't know yet whether your payment went through.").waitFor();
    expect(await page.locator("dialog").innerText()).not.toContain("haven't paid");
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Stay" }).click();
    await page.clock.fastForward(61_000);
    await title(page).filter({ hasText: "We're still checking your payment" }).waitFor();
    await isFocused(page, "screen-title");
    const text = await page.locator(".main").innerText();
    expect(text).toContain("If it did, your order continues, even if you close this window.");
    expect(text).toContain("If it didn't, you have not been charged.");
    expect(text).toContain("We'll show updates as soon as it's back.");
    expect(text).not.toMatch(/Try another card|Cancel order|another order/);
    expect(await page.locator(".spinner").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    const paid = cardOrder({ status: "processing", payment: attempt("captured") });
    checkout.answer({ "GET /orders/:id": () => ok(paid) });
    await page.clock.fastForward(16_000);
    await title(page).filter({ hasText: "Payment received" }).waitFor();
  });

  test("whose answer is late says nothing about a result here once the window has timed out", async () => {
    const waiting = cardOrder({ status: "payment_pending", payment: attempt("processing") });
    const page = await open(waiting);
    const expired = () => refused(401, "TOKEN_EXPIRED");
    checkout.answer({ "GET /orders/:id/events": expired, "GET /orders/:id": expired });
    await page.getByText("This window has timed out.").waitFor();
    await title(page).filter({ hasText: "This is taking longer than usual" }).waitFor();
    expect(await page.locator(".main").innerText()).not.toContain("You'll see the result here");
  });

  test("by another card asks for no card once the window has timed out, and leads to the page of the order", async () => {
    const page = await open(cardOrder({ payment: attempt("declined") }));
    await page.getByRole("button", { name: "Try another card" }).click();
    await fillTestCard(page);
    await page.getByLabel("Postal code").fill("10115");
    checkout.answer({ "POST /orders/:id/payments": () => refused(401, "TOKEN_EXPIRED") });
    await next(page);
    await page.locator(".main").getByText("This window has timed out.").waitFor();
    await see(page, "#card-number");
    await page.getByRole("link", { name: "Open the page of this order" }).waitFor();
    expect(await page.locator(".main-button").count()).toBe(0);
    expect(await page.locator(".main").innerText()).not.toContain("We couldn't accept this card");
    expect(await axeFaults(page)).toEqual([]);
  });

  test("that the bank asks about says when the window has timed out, and leads to the page of the order", async () => {
    const challenge = attempt("challenge", { challengeUrl: "/bank" });
    const expired = () => refused(401, "TOKEN_EXPIRED");
    const page = await open(
      cardOrder({ status: "payment_pending", payment: challenge }),
      LOOKS["phone-light"],
      { "GET /orders/:id/events": expired },
    );
    checkout.answer({ "GET /orders/:id": expired });
    await page.frameLocator("iframe").getByRole("button").waitFor();
    await page.locator(".main").getByText("This window has timed out.").waitFor();
    const link = page.getByRole("link", { name: "Open the page of this order" });
    expect(await link.count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("is left after a question that has the focus from its first moment, as each screen has", async () => {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await watchFocus(page.context());
    await page.clock.install({ time: NOW });
    await page.goto(checkout.addressFor({ options: EUR_FOR_BTC }));
    await toCard(page);
    await page.locator("button.close").click();
    await see(page, "dialog[open]");
    const { count, late } = await focusSeen(page);
    expect(count).toBeGreaterThan(3);
    expect(late).toEqual([]);
  });

  test("that the bank declined is said first, and what to do next is right under it", async () => {
    const declined = cardOrder({ payment: attempt("declined") });
    for (const look of [LOOKS["phone-light"], LOOKS["desktop-dark"]]) {
      const page = await open(declined, look);
      await isFocused(page, "screen-title");
      const [text, retry, amounts] = await Promise.all(
        [".outcome", ".leave-actions", ".lines >> nth=0"].map((part) =>
          page.locator(part).boundingBox(),
        ),
      );
      const below = (box: typeof text) => (box ? box.y + box.height : 0);
      expect(retry?.y).toBeGreaterThanOrEqual(below(text));
      expect(amounts?.y).toBeGreaterThanOrEqual(below(retry ?? null));
      expect(below(retry ?? null)).toBeLessThan(500);
      expect(await page.locator(".main").innerText()).not.toContain("already been used");
      await page.keyboard.press("Tab");
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toBe("Try another card");
      expect(await axeFaults(page)).toEqual([]);
    }
  });

  test("in another way after a decline begins at the list, which a keyboard reaches and which says how long each takes", async () => {
    const page = await open(cardOrder({ payment: attempt("declined") }));
    const offered = { ...bankOrder().quote, time: { minDays: 1, maxDays: 2 } };
    checkout.answer({ "POST /orders/:id/method_offers": () => ok([offered]) });
    await page.getByRole("button", { name: "Pay another way" }).press("Enter");
    await isFocused(page, "ways-title");
    await page.keyboard.press("Tab");
    const offer = page.locator("button.choice");
    await expect.poll(() => offer.evaluate((each) => each === document.activeElement)).toBe(true);
    const starts = await Promise.all(
      [".option-name", ".choice-result bdi"].map((part) => offer.locator(part).boundingBox()),
    );
    expect(starts[0]?.x).toBe(starts[1]?.x);
    expect(await offer.innerText()).toContain("Takes about 1 to 2 days");
    expect(await axeFaults(page)).toEqual([]);
  });

  test("in another way keeps the focus on its way while offers are renewed, and takes a new one only once it was read", async () => {
    const { quote } = bankOrder();
    const offerOf = (quoteId: string, amount: number) =>
      ok([{ ...quote, quoteId, receive: { ...quote.receive, amount } }]);
    const chosen: unknown[] = [];
    const page = await open(cardOrder({ payment: attempt("declined") }));
    checkout.answer({ "POST /orders/:id/method_offers": () => offerOf("first", 0.002) });
    await page.getByRole("button", { name: "Pay another way" }).press("Enter");
    const offer = page.locator("button.choice");
    await offer.focus();
    checkout.answer({
      "POST /orders/:id/method_offers": () => offerOf("second", 0.001),
      "POST /orders/:id/change_method": ({ body }) => {
        chosen.push(body);
        return ok(bankOrder());
      },
    });
    await page.clock.pauseAt(NOW.getTime() + 60_000);
    await offer.filter({ hasText: "0.001" }).waitFor();
    expect(await offer.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.clock.runFor(1_000);
    await page.locator("button.choice:not([aria-disabled])").waitFor();
    expect(chosen).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => chosen).toEqual([{ quoteId: "second" }]);
  });

  test("at a new price that was just replaced is not accepted unread", async () => {
    const moved = bankOrder({ status: "in_review", statusReason: "rate_moved" });
    const offerOf = (quoteId: string, amount: number) =>
      ok({ ...moved.quote, quoteId, receive: { ...moved.quote.receive, amount } });
    const accepted: unknown[] = [];
    const page = await open(moved, LOOKS["phone-light"], {
      "POST /orders/:id/price_offer": () => offerOf("first", 0.002),
      "POST /orders/:id/accept_price": ({ body }) => {
        accepted.push(body);
        return ok(moved);
      },
    });
    const accept = page.getByRole("button", { name: "Accept the new price" });
    await page.locator(".main-button:not([aria-disabled])").waitFor();
    checkout.answer({ "POST /orders/:id/price_offer": () => offerOf("second", 0.001) });
    await page.clock.pauseAt(NOW.getTime() + 60_000);
    await page.getByText(/0\.001\sBTC/).waitFor();
    await accept.press("Enter");
    await page.clock.runFor(1_000);
    await page.locator(".main-button:not([aria-disabled])").waitFor();
    expect(accepted).toEqual([]);
    await accept.press("Enter");
    await expect.poll(() => accepted).toEqual([{ quoteId: "second" }]);
  });

  test("that may be returned announces the first address for it once it is saved", async () => {
    const late = coinOrder({ status: "in_review", statusReason: "late_payment" });
    const page = await open(late);
    const refundAddress = BITCOIN_ADDRESS;
    checkout.answer({ "POST /orders/:id/refund_address": () => ok({ ...late, refundAddress }) });
    await page.getByLabel("Refund address").fill(refundAddress);
    await page.getByRole("button", { name: "Save address" }).press("Enter");
    const saved = expect.stringContaining("The refund address is saved.");
    await expect.poll(() => said(page)).toContainEqual(saved);
  });

  test("for coins with a tag takes address and tag from a pasted link", async () => {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await page.clock.install({ time: NOW });
    await page.addInitScript((text) => {
      navigator.clipboard.readText = async () => text;
    }, `ripple:${XRP_ADDRESS}?amount=12.5&dt=100000`);
    await page.goto(checkout.addressFor({ options: { ...EUR_FOR_BTC, targetCurrency: "xrp" } }));
    await toWallet(page);
    await page.getByRole("button", { name: "Paste" }).click();
    await see(page, ".check .good");
    expect(await page.locator("#wallet-address").inputValue()).toBe(XRP_ADDRESS);
    expect(await page.locator("#wallet-memo").inputValue()).toBe("100000");
  });

  test("to another debit card begins at its number", async () => {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await page.clock.install({ time: NOW });
    await page.goto(
      checkout.addressFor({ answers: inOperation("S"), options: { baseAmount: 0.01 } }),
    );
    await seePrice(page);
    await next(page);
    await seeChoices(page);
    await page.getByLabel(/^To a debit card/).check();
    await next(page);
    await page.getByLabel("Account holder's full name").fill("Ada Lovelace");
    await fillTestCard(page);
    await next(page);
    await see(page, ".headline");
    await page.goBack();
    await page.getByRole("button", { name: "Use another card" }).press("Enter");
    await isFocused(page, "card-number");
  });

  test("with a card that the service refuses leads to the reason, above the card", async () => {
    const page = await open(cardOrder());
    checkout.answer({ "POST /orders/:id/payments": () => refused(400, "INVALID_INPUT") });
    await fillTestCard(page);
    await page.getByLabel("Postal code").fill("10115");
    await next(page);
    await page.getByText("We couldn't accept this card.").waitFor();
    await isFocused(page, "card-fault");
    expect(await axeFaults(page)).toEqual([]);
  });

  test("to an IBAN shows it whole, in groups of four, and no group alone on its last line", async () => {
    for (const width of [320, 360, 390]) {
      for (const iban of [...IBANS, LONG_IBAN]) {
        const page = await open(withIban(iban), { viewport: { width, height: 844 } });
        const value = ".row:has-text('IBAN') .mono";
        const lines = await linesOf(page, value);
        expect(lines.join(" ")).toBe(iban.replace(/.{4}(?=.)/g, "$& "));
        const groups = lines.map((line) => line.split(" ").length);
        expect(Math.min(...groups), `${iban} at ${width}`).toBeGreaterThan(1);
        const box = await page
          .locator(value)
          .evaluate((each) => each.scrollWidth - each.clientWidth);
        expect(box).toBeLessThanOrEqual(0);
        await page.getByRole("button", { name: "Copy: IBAN" }).waitFor();
        await page.close();
      }
    }
  });

  /** Opens an order and lets its time run out. */
  async function runOut(order: CheckoutOrderData): Promise<Page> {
    const expiresAt = nowSeconds + 60;
    const { instructions: details } = order.payment;
    const page = await open({
      ...order,
      payment: {
        ...order.payment,
        expiresAt,
        instructions: details && { ...details, expiresAt },
      },
    });
    await page.getByRole("button", { name: /^Copy: Amount/ }).waitFor();
    await page.clock.fastForward(61_000);
    await title(page).filter({ hasText: "The time to pay is over" }).waitFor();
    await isFocused(page, "screen-title");
    expect(await axeFaults(page)).toEqual([]);
    return page;
  }
  const ASKS =
    /Send your|Send exactly|Send the rest|Make one transfer|Pay by|Copy: Amount|Open in wallet|link to pay/;

  test("with coins is not asked for any more once the time is up", async () => {
    const page = await runOut(coinOrder());
    const text = await page.locator(".main").innerText();
    expect(text).toContain("Don't send any coins now: the rate is no longer held.");
    expect(text).toContain("If you already sent them, you'll see them here when they arrive.");
    expect(text).not.toMatch(ASKS);
    expect(await page.locator(".qr, a[href^=bitcoin]").count()).toBe(0);
    await page.getByText("Where should we send your coins if we have to return them?").waitFor();
    await page.getByRole("button", { name: "Back to Northwind Tea" }).waitFor();
  });

  test("by a transfer is not asked for any more once the time is up", async () => {
    const page = await runOut(bankOrder());
    const text = await page.locator(".main").innerText();
    expect(text).toContain("Don't transfer any money now: the rate is no longer held.");
    expect(text).not.toMatch(ASKS);
    expect(text).not.toContain("IBAN");
  });

  test("is asked for as long as the service waits for it, on a device whose clock is an hour ahead", async () => {
    const page = await openPage(browser, { locale: "en-US", ...LOOKS["phone-light"] });
    await page.clock.install({ time: NOW.getTime() + 3_600_000 });
    await page.goto(checkout.addressFor({ answers: withOrder(coinOrder()) }));
    await title(page).filter({ hasText: "Send your BTC now" }).waitFor();
    await page.getByText(/held for 2[89]:\d\d/).waitFor();
    await page.clock.fastForward(1_801_000);
    await title(page).filter({ hasText: "The time to pay is over" }).waitFor();
  });

  test.each([
    ["seen", { status: "payment_pending", received: 0 }],
    ["in review", { status: "in_review", statusReason: "underpaid", received: 0.004 }],
  ] as const)(
    "of a part of the coins, %s, does not ask for the rest once the time is up",
    async (_case, part) => {
      const { received, ...change } = part;
      const deposits = [deposit({ amount: 0.004, status: received === 0 ? "seen" : "final" })];
      const page = await runOut(coinOrder({ ...change, payment: { received, deposits } }));
      const text = await page.locator(".main").innerText();
      expect(text).toMatch(/We've seen 0\.004\sBTC of 0\.01\sBTC\. Don't send the rest now/);
      expect(text).not.toMatch(ASKS);
    },
  );

  test("that is too late is reviewed, and another order begins in the shop", async () => {
    const expired = { status: "expired", statusReason: "payment_timeout" } as const;
    const page = await open(bankOrder(expired));
    await title(page).filter({ hasText: "Your order has expired" }).waitFor();
    const text = await page.locator(".main").innerText();
    expect(text).toContain("our team reviews late money, and it is exchanged or returned to you.");
    expect(text).toContain("To place another order, go back to the shop and start checkout again.");
    await page.getByRole("button", { name: "Back to Northwind Tea" }).waitFor();
    const answers = withOrder(cardOrder(expired));
    await page.goto(checkout.addressFor({ answers, by: "page" }));
    await title(page).filter({ hasText: "Your order has expired" }).waitFor();
    expect(await page.locator(".main").innerText()).toContain("To place another order");
  });
});
