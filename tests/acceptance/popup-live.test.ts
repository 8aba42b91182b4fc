import type { OrderData, QuoteData } from "@exchange/contract";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, recordRequests } from "../support/browser/browser.ts";
import { CheckoutLine } from "../support/browser/checkout-line.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type PopupVisits, startPopupVisits } from "../support/browser/popup-visits.ts";
import { BITCOIN_ADDRESS, CARDS } from "../support/orders/purchase.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const GONE = { state: "detached" } as const;
const CHALLENGED = "4000000000002503";
const CRYPTO_WINDOW_SECONDS = 15 * 60;

// A service of its own: its clock is moved.
let service: StartedService;
let visits: PopupVisits;

describe.runIf(hasBrowser)("the popup, while other things happen", () => {
  beforeAll(async () => {
    service = await startService();
    visits = await startPopupVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(async () => {
    await visits.close();
    await service.discard();
  });

  test("confirmations come over one stream, nothing is asked beside it, no address holds the token", async () => {
    const { page, checkout, line } = await begin("CC", { fakeClock: true });
    const requests = recordRequests(page);
    const token = new URL(page.url()).searchParams.get("token") ?? "";
    await toReview(checkout);
    // The clock is stopped, so a stream that is late is not given up.
    await stopClock(page);
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    await checkout.frame.getByText("on the Ethereum network", { exact: false }).waitFor();
    const orderId = await checkout.orderNumber();
    const { depositId } = await visits.deposit({ orderId, confirmations: 1 });
    await checkout.see("going");
    // A poll beside the stream would be sent now.
    await page.clock.runFor(10_000);
    for (const confirmations of [2, 5]) {
      await visits.deposit({ orderId, depositId, confirmations });
      await seeText(checkout, new RegExp(`^${confirmations} of \\d+ confirmations$`));
    }
    await visits.deposit({ orderId, depositId });
    await checkout.see("done");
    expect(line.count(/\/events$/)).toBe(1);
    expect(line.count(/^GET \/orders\/\d+$/)).toBe(0);
    expect(token.length).toBeGreaterThan(100);
    expect(requests.filter((request) => request.includes(token))).toEqual([]);
  });

  test("where a proxy keeps the stream back it asks instead, and never does both", async () => {
    const { page, checkout, line } = await begin("CC", { fakeClock: true });
    await line.holdBack("/orders/*/events");
    await toReview(checkout);
    await stopClock(page);
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    const orderId = await checkout.orderNumber();
    await visits.deposit({ orderId, confirmations: 1 });
    expect(line.count(/^GET \/orders\/\d+$/)).toBe(0);
    await page.clock.fastForward(5_000);
    await page.clock.resume();
    await checkout.see("going");
    await page.clock.fastForward(3_000);
    await expect.poll(() => line.count(/^GET \/orders\/\d+$/)).toBeGreaterThan(1);
    expect(line.count(/\/events$/)).toBe(1);
  });

  test("an order whose time is up says so at once, and late coins wait for a person", async () => {
    const { checkout } = await begin("CC");
    await toDeposit(checkout);
    const orderId = await checkout.orderNumber();
    await visits.advanceClock(CRYPTO_WINDOW_SECONDS + 60);
    await checkout.see("expired");
    await visits.deposit({ orderId });
    await checkout.see("inReview");
    await seeText(checkout, /arrived after the time was up/);
  });

  test("a network that goes is said, and what was asked for comes by itself when it is back", async () => {
    const { page, checkout, line } = await begin("CC");
    const context = page.context();
    await context.setOffline(true);
    await checkout.frame.getByRole("textbox", { name: "You send" }).fill("0.7");
    await seeText(checkout, /can't get a price\. Check your connection/);
    await context.setOffline(false);
    await checkout.seePrice();
    await toReview(checkout);
    await context.setOffline(true);
    await checkout.button(/^Place order and see the address/).click();
    await checkout.button(/Checking whether your order was placed/).waitFor();
    await context.setOffline(false);
    await seeText(checkout, /couldn't place your order\. You have not been charged/);
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    // An announcement is removed after some seconds, so all three are awaited together.
    await Promise.all([
      checkout.frame.locator("[data-announcer]", { hasText: "connection was lost" }).waitFor(),
      checkout.frame.getByRole("main").getByText("connection was lost").waitFor(),
      context.setOffline(true),
    ]);
    const orderId = await checkout.orderNumber();
    await visits.deposit({ orderId, confirmations: 1 });
    await context.setOffline(false);
    await checkout.see("going");
    await checkout.frame.getByRole("main").getByText("connection was lost").waitFor(GONE);
    expect(line.count(/^POST \/orders$/)).toBe(2);
  });

  test("a checkout that opens without a network opens by itself when there is one", async () => {
    const page = await visits.visit("B");
    const line = new CheckoutLine(page);
    const mend = await line.cut("/session");
    await page.keyboard.press("Enter");
    const checkout = new CheckoutPage(page);
    await checkout.frame.getByRole("heading", { name: "We can't reach checkout" }).waitFor();
    await mend();
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await checkout.see("amount");
  });

  test("two presses are one order; lost answers are looked up, and nothing is sent twice", async () => {
    const { checkout, line } = await begin("B");
    await line.loseAnswer("/orders");
    await line.loseAnswer("/orders/*/payments");
    await toCardReview(checkout);
    await checkout.button(/^Pay /).dblclick();
    await checkout.see("done");
    expect(line.count(/^POST \/orders$/)).toBe(1);
    expect(line.count(/^POST \/orders\/\d+\/payments$/)).toBe(1);
  });

  test("an order placed in another tab is not placed again: it is shown instead", async () => {
    const first = await begin("CC");
    await toReview(first.checkout);
    // A renewal after the other order would report the used session before the press.
    await first.page.route(/\/checkout\/quotes$/, () => undefined);
    const page = await first.page.context().newPage();
    await page.goto(first.page.url());
    await page.keyboard.press("Tab");
    const other = await visits.open(page);
    await toDeposit(other);
    const orderId = await other.orderNumber();
    await first.page.bringToFront();
    await first.checkout.button(/^Place order and see the address/).click();
    await seeText(first.checkout, /start checkout again/);
    await first.checkout.button(`See order ${orderId}`).click();
    await first.checkout.see("instructions");
    expect(await first.checkout.orderNumber()).toBe(orderId);
  });

  test("it continues where it was when its frame, or the shop's page, is loaded again", async () => {
    const { page, checkout } = await begin("CC");
    await toReview(checkout);
    await reloadFrame(page);
    await checkout.see("review");
    await checkout.button(/^Place order and see the address/).click();
    await checkout.see("instructions");
    const orderId = await checkout.orderNumber();
    await reloadFrame(page);
    await checkout.see("instructions");
    await visits.deposit({ orderId, confirmations: 1 });
    await checkout.see("going");
    await page.reload();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await checkout.see("going");
    await visits.deposit({ orderId });
    await checkout.see("done");
    await reloadFrame(page);
    await checkout.see("done");
  });

  test("a bank that asks, and a card it refused, are found again after a reload", async () => {
    const { page, checkout } = await begin("B");
    await checkout.goTo("review", CHALLENGED);
    await checkout.button(/^Pay /).click();
    await checkout.see("challenge");
    await reloadFrame(page);
    await checkout.see("challenge");
    const bank = checkout.frame.frameLocator("iframe");
    await bank.getByRole("button", { name: /cancel|fail|decline/i }).click();
    await checkout.see("unconfirmed");
    await reloadFrame(page);
    await checkout.see("unconfirmed");
    await checkout.button("Try another card").click();
    await checkout.typeCard(CARDS.visa);
    await checkout.button(/^Pay /).click();
    await checkout.see("done");
  });

  test("a price is asked for when typing pauses, on either side, kept fresh, and said once", async () => {
    const { page, checkout, line } = await begin("B", { fakeClock: true });
    const quoteRequests = () => line.count(/^POST \/quotes$/);
    const field = (name: string) => checkout.frame.getByRole("textbox", { name });
    const value = (name: string) => expect.poll(() => field(name).inputValue());
    // The clock stands, so no timer of an answer runs before the answer is there.
    const priced = () => checkout.frame.locator(".price-line[aria-busy=false] .price").waitFor();
    await stopClock(page);
    // The renewals of the seconds that the clock was moved by come a moment later.
    await priced();
    let before = -1;
    const isSame = () => {
      const last = before;
      before = quoteRequests();
      return before === last;
    };
    await expect.poll(isSame, { interval: 500 }).toBe(true);
    await field("You pay").fill("");
    await field("You pay").pressSequentially("250");
    await page.clock.runFor(240);
    expect(quoteRequests()).toBe(before);
    await page.clock.runFor(20);
    await priced();
    await value("You get").toMatch(/^0\.00/);
    await expect.poll(quoteRequests).toBe(before + 1);
    await field("You get").fill("0.002");
    await page.clock.runFor(260);
    await priced();
    await value("You pay").not.toMatch(/^250/);
    await expect.poll(quoteRequests).toBe(before + 2);
    const said = checkout.frame.locator("[data-announcer]");
    await page.clock.runFor(1_100);
    await expect.poll(() => said.innerText()).toMatch(/^You pay €.* and get 0\.002(0\d*)?\sBTC\.$/);
    await page.clock.runFor(24_000);
    await expect.poll(quoteRequests).toBe(before + 3);
  });

  test("a price that got worse needs a click, one that hardly moved does not", async () => {
    const prices = fixedPrices();
    const { page, checkout, line } = await begin("CC", {
      fakeClock: true,
      prepare: (before) => before.change("/quotes", prices.change),
    });
    await toReview(checkout);
    prices.factor = 0.9995;
    const quoteRequests = () => line.count(/^POST \/quotes$/);
    const before = quoteRequests();
    await page.clock.fastForward(26_000);
    await expect.poll(quoteRequests).toBeGreaterThan(before);
    // Until the answer is there, the price is being renewed and not held.
    await seeText(checkout, /^Price held for ([12]\d|30) seconds$/);
    expect(await checkout.button(/^Accept /).count()).toBe(0);
    prices.factor = 0.99;
    await page.clock.fastForward(26_000);
    await seeText(checkout, /^You now get .* instead of /);
    expect(await checkout.button(/^Place order and see the address/).count()).toBe(0);
    expect(line.count(/^POST \/orders$/)).toBe(0);
    await page.clock.runFor(800);
    await checkout.button(/^Accept the price and place the order/).click();
    await checkout.see("instructions");
  });

  test("a price that expired on the review is renewed, and the order uses it", async () => {
    const { checkout, line } = await begin("CC");
    await toReview(checkout);
    // The popup must not renew the price before the press.
    await line.holdBack("/quotes");
    await visits.advanceClock(31);
    await checkout.button(/^Place order and see the address/).click();
    await checkout.frame
      .getByRole("heading", { name: /^Send your ETH now/ })
      .or(checkout.button(/^Accept /))
      .waitFor();
    const accept = checkout.button(/^Accept /);
    if (await accept.isVisible()) await accept.click();
    await checkout.see("instructions");
    expect(line.count(/^POST \/orders$/)).toBe(2);
    expect((await visits.orderOf(await checkout.orderNumber())).status).toBe("awaiting_payment");
  });

  test("a status of a newer service is in progress, and a token that ran out says so", async () => {
    const { page, checkout, line } = await begin("CC", { fakeClock: true });
    await toDeposit(checkout);
    await line.refuse("/orders/*/events", 404, "NOT_FOUND");
    await line.change<OrderData>("/orders/*", (order) => ({ ...order, status: "settling" }));
    await reloadFrame(page);
    await checkout.frame.getByRole("heading", { name: "In progress" }).waitFor();
    await line.refuse("/orders/*", 401, "TOKEN_EXPIRED");
    await page.clock.fastForward(3_000);
    await seeText(checkout, /This window has timed out\. Your order continues/);
    await line.refuse("/session", 401, "TOKEN_EXPIRED");
    await reloadFrame(page);
    await seeText(checkout, /This checkout has timed out/);
  });
});

interface Visit {
  readonly page: Page;
  readonly checkout: CheckoutPage;
  readonly line: CheckoutLine;
}

interface Circumstances {
  readonly fakeClock?: boolean;
  /** Changes the line before the popup opens. */
  readonly prepare?: (line: CheckoutLine) => Promise<void>;
}

async function begin(
  operation: "B" | "CC",
  { fakeClock = false, prepare = async () => {} }: Circumstances = {},
): Promise<Visit> {
  const page = await visits.visit(operation);
  const line = new CheckoutLine(page);
  await prepare(line);
  if (fakeClock) await page.clock.install();
  return { page, line, checkout: await visits.open(page) };
}

/** A swap up to its review. */
async function toReview(checkout: CheckoutPage): Promise<void> {
  await checkout.continue();
  await checkout.see("wallet");
  await checkout.typeAddress(BITCOIN_ADDRESS);
  await checkout.continue();
  await checkout.see("review");
}

async function toDeposit(checkout: CheckoutPage): Promise<void> {
  await toReview(checkout);
  await checkout.button(/^Place order and see the address/).click();
  await checkout.see("instructions");
}

const toCardReview = (checkout: CheckoutPage): Promise<void> => checkout.goTo("review", CARDS.visa);

const seeText = (checkout: CheckoutPage, text: RegExp): Promise<void> =>
  checkout.frame.getByText(text).first().waitFor();

/** Loads the checkout again, and waits for the new document. */
async function reloadFrame(page: Page): Promise<void> {
  const frame = page.frames().find((each) => each.url().includes("/checkout"));
  const reload = (): void => {
    Object.assign(window, { isOld: true });
    location.reload();
  };
  await frame?.evaluate(reload).catch(() => undefined);
  await frame?.waitForFunction(() => !("isOld" in window));
}

/** Stops the page's clock some seconds ahead: a clock that went on meanwhile is not set back. */
const stopClock = async (page: Page): Promise<void> =>
  page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 20_000);

/** Every quote gives what the first one gave, times a factor that the test sets. */
function fixedPrices() {
  let first: number | undefined;
  const prices = {
    factor: 1,
    change(quote: QuoteData): QuoteData {
      first ??= quote.receive.amount;
      const amount = Math.floor(first * prices.factor * 1e8) / 1e8;
      return { ...quote, receive: { ...quote.receive, amount } };
    },
  };
  return prices;
}
