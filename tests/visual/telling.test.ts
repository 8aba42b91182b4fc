import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { BITCOIN_ADDRESS, NOW, nowSeconds, ok, quoteFor, refused, session } from "./answers.ts";
import { type Answers, type Call, startCheckout } from "./checkout.ts";
import { attempt, bankOrder, cardOrder, coinOrder, deposit, instructions, sent } from "./orders.ts";
import {
  OPERATOR,
  orderWithOperator,
  reviewedByOperator,
  withOperator,
} from "./scenes/operator.ts";
import {
  EUR_FOR_BTC,
  fillTestCard,
  inOperation,
  KEEP_ANNOUNCEMENTS,
  next,
  said as saidOn,
  see,
  seeChoices,
  seePrice,
  toCard,
  toMethod,
  toReview,
  toWallet,
  withOrder,
} from "./scenes/scene.ts";

/** The sentences and figures that a customer must find on the screens. */
describe.runIf(hasBrowser)("the screens say", () => {
  let browser: Browser;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    checkout = await startCheckout();
    const context = await browser.newContext({
      viewport: { width: 390, height: 700 },
      hasTouch: true,
      isMobile: true,
      locale: "en-US",
      timezoneId: "Europe/Berlin",
    });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
  });
  afterAll(async () => {
    checkout.close();
    await closePages(browser);
  });

  async function open(
    answers: Answers = {},
    options: object = EUR_FOR_BTC,
    by: "redirect" | "page" = "redirect",
  ): Promise<void> {
    // A checkout that is opened again goes on where it was.
    if (page.url() !== "about:blank") await page.evaluate(() => sessionStorage.clear());
    await page.goto("about:blank");
    await page.clock.setFixedTime(NOW);
    await page.goto(checkout.addressFor({ answers, options, by, script: KEEP_ANNOUNCEMENTS }));
  }
  const said = () => saidOn(page);
  const main = () => page.locator(".main");
  const row = (label: string) => page.locator(".row", { hasText: label }).first();

  test("D6, 4.2: every cost of a purchase in euros, what it is made of, and their sum", async () => {
    await open();
    await seePrice(page);
    expect(await main().innerText()).toMatch(/Fees and spread included: €2\.30/);
    await toReview(page);
    expect(await row("Exchange fee").innerText()).toMatch(/€1\.50$/);
    expect(await row("Exchange fee").innerText()).toContain("€1.20 on the amount + €0.30 fixed");
    expect(await row("Network fee").innerText()).toMatch(/€0\.30$/);
    expect(await row("Spread, 0.5%").innerText()).toMatch(/€0\.50$/);
    expect(await row("Total cost").innerText()).toMatch(/€2\.30$/);
    expect(await main().innerText()).not.toMatch(/−|One time/);
  });

  test("six digits of coins, all on a press, and an Edit that leads to its screen", async () => {
    const long: Answers = {
      "POST /quotes": ({ body }: Call) => {
        const reply = quoteFor(body as Parameters<typeof quoteFor>[0]);
        const { data } = (reply as { body: { data: ReturnType<typeof bankOrder>["quote"] } }).body;
        return ok({ ...data, receive: { ...data.receive, amount: 1.23456789 } });
      },
    };
    await open(long);
    await toReview(page);
    const digits = page.getByRole("button", { name: "1.23456 BTC" });
    await digits.click();
    await page.getByRole("button", { name: "1.23456789 BTC" }).waitFor();
    await page.getByRole("button", { name: "bc1qw508…v8f3t4" }).click();
    await page.getByText("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4").waitFor();
    await page.getByRole("button", { name: "Edit: To" }).click();
    await see(page, "#wallet-address");
  });

  test("D7, 4.3: what each method brings, from one request, and which is best", async () => {
    const requests: unknown[] = [];
    const counted: Answers = {
      "POST /quotes": ({ body }: Call) => {
        requests.push(body);
        return quoteFor(body as Parameters<typeof quoteFor>[0]);
      },
    };
    await open(counted);
    await seePrice(page);
    const before = requests.length;
    await toMethod(page);
    const [card, bank] = [page.locator(".choice").nth(0), page.locator(".choice").nth(1)];
    await bank.getByText("Best value").waitFor();
    expect(await card.innerText()).toMatch(/0\.00163667\sBTC/);
    expect(await card.innerText()).toMatch(/Arrives within minutes/);
    expect(await bank.innerText()).toMatch(/0\.0016694\sBTC/);
    expect(await card.getByText("Best value").count()).toBe(0);
    expect(requests.length - before).toBe(1);
  });

  test("that the page has not loaded where its script does not come, on a device without motion too", async () => {
    const context = page.context();
    await context.route(/\/assets\/first-/, (route) => route.abort());
    await page.goto(checkout.addressFor({}));
    const words = page.getByText("Checkout hasn't loaded. Check your connection");
    expect(await words.isVisible()).toBe(false);
    // The animation has its own time.
    await page.locator(".unloaded").evaluate((element) => {
      for (const animation of element.getAnimations()) animation.currentTime = 15_000;
    });
    expect(await words.isVisible()).toBe(true);
    await context.unroute(/\/assets\/first-/);
  });

  test("nothing about a way to be paid out before its price is there, and the ways keep their places", async () => {
    await open(inOperation("FF"));
    await toMethod(page);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/quotes$/, async (route) => {
      await held;
      await route.continue();
    });
    const places = () =>
      page
        .locator(".choice")
        .evaluateAll((ways) => ways.map((way) => Math.round(way.getBoundingClientRect().top / 8)));
    await next(page);
    await page.getByRole("heading", { name: "How should the recipient" }).waitFor();
    const before = await places();
    expect(await page.getByText("Not for this amount").count()).toBe(0);
    release();
    await seeChoices(page);
    expect(await places()).toEqual(before);
    await page.unroute(/\/quotes$/);
  });

  test("the outcome once: the heading that takes the focus is not announced again", async () => {
    const order = bankOrder({ status: "processing" });
    await open(withOrder(order));
    await see(page, ".outcome");
    const title = await page.locator("h1").innerText();
    const text = await page.locator(".outcome .lead").innerText();
    expect(await page.locator("h1").evaluate((h1) => h1 === document.activeElement)).toBe(true);
    await expect.poll(said).toContainEqual(text);
    expect((await said()).join()).not.toContain(title);
  });

  test("the way back where the shop fixed an amount that nobody can pay", async () => {
    const bounds = { min: 15, max: 5_000, currencyCode: "EUR" };
    const details = [{ path: "baseAmount", issue: "AMOUNT_BELOW_MINIMUM", ...bounds }];
    await open({
      "GET /session": () => ok(session({ lock: { baseCurrency: "eur", baseAmount: 1 } })),
      "POST /quotes": () => refused(400, "AMOUNT_BELOW_MINIMUM", { details }),
    });
    await page.getByText("Minimum €15.00").waitFor();
    await page.getByRole("button", { name: "Back to Northwind Tea" }).waitFor();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("fees that are too high for the amount, what is accepted, and where nothing is", async () => {
    const refuse = (bounds: object): Answers => ({
      "POST /quotes": () =>
        refused(400, "AMOUNT_BELOW_MINIMUM", {
          details: [{ issue: "", currencyCode: "EUR", boundBy: "fees", ...bounds }],
        }),
    });
    await open(refuse({ min: 130, max: 5_000 }));
    const least = "The fees are too high for this amount. You need at least €130.00 right now.";
    await page.getByText(least).waitFor();
    expect(await main().innerText()).not.toContain("Minimum");
    await page.getByRole("button", { name: "Continue" }).click();
    const isField = () => page.evaluate(() => document.activeElement?.id);
    await expect.poll(isField).toBe("amount-spend");
    expect(await axeFaults(page)).toEqual([]);
    await open(refuse({ min: 9_000, max: 5_000 }));
    await page.getByText("The fees are too high for any amount right now.").waitFor();
    expect(await main().innerText()).not.toContain("€9,000");
  });

  test("a refund in the past tense, and a success as a moment with its receipt folded", async () => {
    await open(
      withOrder(
        coinOrder({
          status: "refunded",
          refunds: [{ ...REFUND, amount: 0.01, currencyCode: "BTC" }],
        }),
      ),
    );
    await see(page, ".outcome");
    await row("You sent").waitFor();
    expect(await row("Not delivered").locator("s").count()).toBe(1);
    expect(await main().innerText()).not.toMatch(/You get\b/);
    await open(
      withOrder(
        cardOrder({
          status: "completed",
          fulfilled: true,
          payment: attempt("captured"),
          delivery: sent,
        }),
      ),
    );
    await page.getByRole("heading", { level: 1, name: "0.00163667 BTC sent" }).waitFor();
    expect(await main().innerText()).toMatch(/To your wallet .*, 11:15\sAM\./);
    expect(await page.locator(".steps").count()).toBe(0);
    await page.getByText("Receipt").click();
    await row("You got").waitFor();
    expect(await row("Total cost").innerText()).toMatch(/€2\.30$/);
  });

  test("a transfer shows until which day and time it is awaited, and its IBAN in fours", async () => {
    await open(withOrder(bankOrder()));
    await page.getByText(/Pay by Thu, Mar 5, 11:15\sAM/).waitFor();
    expect(await row("IBAN").innerText()).toContain("DE89 3704 0044 0532 0130 00");
  });

  test("never more time than the whole window", async () => {
    const expiresAt = nowSeconds + 901;
    const payment = { instructions: instructions("crypto", { expiresAt }) };
    await open(withOrder(coinOrder({ payment })));
    await page.getByText(/Rate held for 15:00, until/).waitFor();
  });

  test("one button that accepts a worse price and pays; a price within the band asks nothing", async () => {
    const placed: unknown[] = [];
    const answers: Answers = {
      "POST /orders": ({ body }: Call) => {
        placed.push(body);
        return ok(cardOrder());
      },
    };
    await open(answers);
    await toReview(page);
    const reprice = async (drift: number, atMs: number): Promise<void> => {
      checkout.answer({
        "POST /quotes": ({ body }) => quoteFor(body as Parameters<typeof quoteFor>[0], { drift }),
      });
      await page.clock.setFixedTime(NOW.getTime() + atMs);
      await page.evaluate(() => dispatchEvent(new Event("online")));
    };
    await reprice(0.998, 26_000);
    await page.getByText("0.00163339 BTC").waitFor();
    expect(await page.locator(".notice-warning").count()).toBe(0);
    await reprice(0.95, 52_000);
    await page.getByText(/You now get .* instead of /).waitFor();
    expect(await page.getByRole("button", { name: /^Pay / }).count()).toBe(0);
    await page.getByRole("button", { name: "Accept and pay €100.00" }).click();
    await expect.poll(() => placed.length).toBe(1);
  });

  test("why the service gives no price for the review any more, and that Pay waits for another choice", async () => {
    await open();
    await toReview(page);
    checkout.answer({ "POST /quotes": () => refused(400, "UNSUPPORTED_PAIR") });
    await page.clock.setFixedTime(NOW.getTime() + 26_000);
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.locator("#quote-fault").waitFor();
    expect(await page.locator(".held").count()).toBe(0);
    await page.locator(".main .main-button").click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("quote-fault");
  });

  test("that the test card was filled in, with its fields in sight", async () => {
    await open();
    await toCard(page);
    await fillTestCard(page);
    await expect.poll(said).toContainEqual(expect.stringContaining("Test card filled in"));
    const number = page.locator("#card-number");
    expect(await number.inputValue()).not.toBe("");
    expect(await number.evaluate((field) => field.getBoundingClientRect().bottom)).toBeLessThan(
      700,
    );
    // One line: the form begins above the fold.
    expect((await page.locator(".sandbox-line").boundingBox())?.height).toBeLessThan(70);
  });

  test("how much of a payment is missing while it is not final, where to send it and until when", async () => {
    const payment = { deposits: [deposit({ amount: 0.004 })] };
    await open(withOrder(coinOrder({ status: "payment_pending", payment })));
    await page
      .getByRole("heading", { level: 1, name: "Send the rest before time runs out" })
      .waitFor();
    expect(await row("Still missing").innerText()).toMatch(/0\.006\sBTC$/);
    await page.getByText("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4").waitFor();
    await page.getByText(/Rate held for/).waitFor();
  });

  test("until when the rest of an underpaid order is awaited, with coins and by transfer", async () => {
    const held = { status: "in_review", statusReason: "underpaid" } as const;
    const coins = { received: 0.004, deposits: [deposit({ amount: 0.004, status: "final" })] };
    await open(withOrder(coinOrder({ ...held, payment: coins })));
    await page.getByRole("heading", { name: "Some of your payment is missing" }).waitFor();
    await page.getByText(/Rate held for 2\d:\d\d, until 11:44\sAM/).waitFor();
    await open(withOrder(bankOrder({ ...held, payment: { received: 40 } })));
    await page.getByText(/Pay by Thu, Mar 5, 11:15\sAM/).waitFor();
  });

  test.each([
    ["came late", { status: "in_review", statusReason: "late_payment" }, { received: 100 }],
    ["is too little", { status: "in_review", statusReason: "underpaid" }, { received: 40 }],
    ["came after the price had moved", { status: "in_review", statusReason: "rate_moved" }, {}],
    ["waits for a person", { status: "in_review", statusReason: "limit_exceeded" }, {}],
  ] as const)(
    "what was ordered, and no promise, when a payment %s",
    async (_case, held, payment) => {
      await open(withOrder(bankOrder({ ...held, payment })));
      await page.getByText("You ordered", { exact: true }).waitFor();
      expect(await page.getByText("You ordered", { exact: true }).count()).toBe(1);
      expect(await page.locator(".main").innerText()).not.toContain("You get");
    },
  );

  test("that an approved card is not waited for", async () => {
    await open(withOrder(cardOrder({ status: "payment_pending", payment: attempt("authorized") })));
    await page.getByRole("heading", { level: 1, name: "Payment approved" }).waitFor();
    expect(await main().innerText()).toContain("We're buying your BTC");
  });

  test("a currency button's name begins with its text", async () => {
    await open();
    await seePrice(page);
    const pill = page.locator("button.pill").first();
    expect(await pill.innerText()).toBe("EUR");
    expect(await pill.getAttribute("aria-label")).toMatch(/^EUR, /);
  });

  test("an address and an IBAN in groups of four, and no letter of an address alone on a line", async () => {
    await open();
    await toWallet(page);
    const field = page.locator("#wallet-address");
    expect(await field.evaluate((each) => getComputedStyle(each).textWrapStyle)).toBe("balance");
    await open();
    await toReview(page);
    await page.getByRole("button", { name: /bc1qw5/ }).click();
    const quads = page.locator(".quads > span");
    expect(await quads.allInnerTexts()).toEqual(BITCOIN_ADDRESS.match(/.{1,4}/g));
    await open(withOrder(bankOrder()));
    expect(await row("IBAN").innerText()).toContain("DE89 3704 0044 0532 0130 00");
  });

  test("an announcement does not stay at the end of the page", async () => {
    await open();
    await seePrice(page);
    await expect.poll(said).toContainEqual(expect.stringMatching(/^You pay €100/));
    await expect.poll(() => page.locator("[data-announcer]").innerText()).toBe("");
  });

  test("why the bank declined, where it said so", async () => {
    const payment = attempt("declined", { declineReason: "insufficient_funds" });
    await open(withOrder(cardOrder({ payment })));
    await see(page, ".outcome");
    expect(await main().innerText()).toContain("There isn't enough money on this card.");
  });

  test("another way to pay after a decline, which leads to its account", async () => {
    const declined = cardOrder({ payment: attempt("declined") });
    const { quote } = declined;
    const bodies: unknown[] = [];
    await open({
      ...withOrder(declined),
      "POST /orders/:id/method_offers": () =>
        ok([
          {
            ...quote,
            quoteId: "quote-sepa",
            receive: { ...quote.receive, amount: 0.0016694 },
            paymentMethod: { id: 2, name: "SEPA bank transfer", reference: "sepa" },
          },
        ]),
      "POST /orders/:id/change_method": ({ body }: Call) => {
        bodies.push(body);
        const unpaid = { ...attempt("declined"), instructions: null };
        return ok(bankOrder({ payment: unpaid, updatedAt: nowSeconds + 1 }));
      },
      "POST /orders/:id/payments": () => ok(bankOrder({ updatedAt: nowSeconds + 2 })),
    });
    await page.getByRole("button", { name: "Pay another way" }).click();
    const sepa = page.getByRole("button", { name: /SEPA bank transfer/ });
    expect(await sepa.innerText()).toMatch(/0\.0016694\sBTC/);
    await sepa.click();
    await page.getByRole("heading", { level: 1, name: "Transfer €100.00" }).waitFor();
    expect(bodies).toEqual([{ quoteId: "quote-sepa" }]);
  });

  test("the sandbox simulates a payment with the session's own token, and not in prod", async () => {
    const bodies: unknown[] = [];
    const paid = bankOrder({ status: "in_review", statusReason: "underpaid" });
    await open({
      ...withOrder(bankOrder()),
      "POST /orders/:id/simulate_payment": ({ body }: Call) => {
        bodies.push(body);
        return ok({
          ...paid,
          updatedAt: nowSeconds + 1,
          payment: { ...paid.payment, received: 50 },
        });
      },
    });
    await page.getByRole("button", { name: "Too little" }).click();
    await page
      .getByRole("heading", { level: 1, name: "Some of your payment is missing" })
      .waitFor();
    expect(bodies).toEqual([{ payment: "less" }]);
    const live = session({ environment: "prod", orderId: 1, status: "expired" });
    await open({ ...withOrder(bankOrder()), "GET /session": () => ok(live) });
    await see(page, ".pay-lines");
    expect(await page.locator(".sandbox-line").count()).toBe(0);
  });

  test("on a phone the wallet comes before the QR code", async () => {
    await open(withOrder(coinOrder()));
    const link = page.getByRole("link", { name: "Open in wallet" });
    expect(await link.getAttribute("href")).toMatch(/^bitcoin:bc1q.*amount=0\.01/);
    await see(page, ".qr svg");
    const [wallet, code] = [await link.boundingBox(), await page.locator(".qr").boundingBox()];
    expect(wallet?.y ?? 0).toBeLessThan(code?.y ?? 0);
  });

  test("axe finds nothing wrong on a phone's screens and order page with every setting of the operator", async () => {
    await open(withOperator);
    await seePrice(page);
    await page.getByText(OPERATOR.riskNotice).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await toReview(page);
    await page.getByRole("link", { name: "Privacy policy" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await open(orderWithOperator, {}, "page");
    await see(page, ".pay-lines");
    await page.getByText(OPERATOR.licence).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("the badge of an order's own page ends where its content does", async () => {
    await open(orderWithOperator, {}, "page");
    await see(page, ".pay-lines");
    // The content slides in, the footer with the same edge does not.
    const edge = await page.locator(".foot").evaluate((foot) => {
      const { paddingInlineEnd } = getComputedStyle(foot);
      return foot.getBoundingClientRect().right - Number.parseFloat(paddingInlineEnd);
    });
    const badge = await page.locator(".badge").boundingBox();
    expect((badge?.x ?? 0) + (badge?.width ?? 0)).toBeCloseTo(edge, 0);
  });

  test("the checkout names its operator, the terms beside the button, and help; nothing where it is not set", async () => {
    await open(withOperator);
    await seePrice(page);
    await page.getByText(OPERATOR.riskNotice).waitFor();
    // Markup in a name is text.
    expect(await page.locator(".operator bdi").allInnerTexts()).toEqual([
      OPERATOR.name,
      OPERATOR.licence,
    ]);
    await toReview(page);
    const agreement = page.locator("p.terms", { hasText: "By paying you agree to:" });
    const links = agreement.getByRole("link");
    expect(await links.allInnerTexts()).toEqual(["Terms", "Privacy policy"]);
    for (const link of await links.all()) {
      expect(await link.getAttribute("target")).toBe("_blank");
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    }
    await links.first().focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Privacy policy");
    await open(reviewedByOperator);
    await page.getByText("Questions about this order?").waitFor();
    expect(await page.getByRole("link", { name: "Get help" }).count()).toBe(2);
    await open();
    await toReview(page);
    expect(await page.locator(".operator").count()).toBe(0);
    expect(await page.getByText("By paying you agree").count()).toBe(0);
  });

  test("the checkout names its operator and where to get help where no session can be read", async () => {
    const answers = { "GET /session": () => refused(401, "TOKEN_INVALID") };
    await page.goto(checkout.addressFor({ answers, by: "page", operator: OPERATOR }));
    await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
    await page.getByText(OPERATOR.licence).waitFor();
    const help = page.getByRole("link", { name: "Get help" });
    expect(await help.getAttribute("href")).toBe(OPERATOR.helpUrl);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("an address that runs a script is not a link, even from the service", async () => {
    const hostile = { ...OPERATOR, helpUrl: "javascript:alert(1)" };
    await open({ "GET /session": () => ok(session({ operator: hostile })) });
    await seePrice(page);
    await see(page, ".operator");
    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
  });
});

const REFUND = {
  id: "6f1c2a34-0000-4000-8000-000000000000",
  status: "refunded",
  reason: "underpaid",
  createdAt: 0,
  refundedAt: 0,
  ...sent,
} as const;
