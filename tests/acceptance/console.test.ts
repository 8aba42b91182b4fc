import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { QuoteData } from "@exchange/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePages, hasBrowser, openPage } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { type PageServer, servePages } from "../support/browser/page-server.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import {
  createMerchant,
  createToken,
  newSessionId,
  registerMerchant,
} from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  customerWith,
  orderWithStatus,
  payByCard,
  placeOrder,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const EMAIL = "stuck.customer@example.com";
const REASON = "the customer showed an invoice";

const DAY_MS = 86_400_000;

/** The percentage fee as a share of the amount before fees. */
function feePercent({ fees, receive, transactionFee, delivery }: QuoteData): number {
  const gross = receive.amount + transactionFee.amount + delivery.fee.amount;
  const percentage = fees.find(({ type }) => type === "percentage")?.amount ?? 0;
  return (100 * percentage) / gross;
}

let service: StartedService;
let browser: Browser;
let url: string;
let operator: ConsolePage;

const { look, faults } = makeLook();

/** A merchant's own server: an empty page with the copied code, its token, and a receiver of webhooks. */
async function ownServer() {
  const copied = { page: "", token: "" };
  const received: URL[] = [];
  const pages: PageServer = await servePages("127.0.0.1", (at) => {
    if (at.pathname === "/hooks") received.push(at);
    return at.pathname === "/checkout-token"
      ? { body: copied.token, headers: { "content-type": "application/json" } }
      : { body: `<!doctype html><title>Own page</title>${copied.page}` };
  });
  return { copied, received, ...pages };
}

/** Copies the code of a region by its button. */
async function copyCode({ page, context }: ConsolePage, name: string): Promise<string> {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const region = page.getByRole("region", { name });
  const code = page.locator(".code").filter({ has: region });
  await code.getByRole("button", { name: "Copy" }).click();
  await code.getByText("Copied.").waitFor();
  return page.evaluate<string>("navigator.clipboard.readText()");
}

const ofMerchant = (clientId: string, email: string, role: string): Promise<ConsolePage> =>
  invitedPerson({ service, browser, url }, { email, role, clientId });

/** Invites a person in the console and accepts in a browser of their own. */
async function invite(email: string, roles: readonly string[]): Promise<ConsolePage> {
  const { page } = operator;
  await operator.open("people");
  await operator.button("Invite a person").click();
  const form = page.getByRole("dialog");
  await form.getByLabel("E-mail address").fill(email);
  await form.getByLabel("Name", { exact: true }).fill(email.split("@")[0] ?? "");
  // A choice is named by the role and then by its rights, such as treasury.read.
  for (const role of roles) {
    await form.getByRole("checkbox", { name: new RegExp(`^${role}`) }).check();
  }
  await form.getByRole("button", { name: "Invite a person" }).click();
  const link = await page.locator("dialog .secret").innerText();
  await operator.button("Close").click();
  const person = await openConsole(browser, url);
  await person.accept(link);
  return person;
}

describe.runIf(hasBrowser)("the console", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
    operator = await openConsole(browser, url);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("lets the first operator in by the link that the start printed, once", async () => {
    const [link] = await service.process.waitFor(/http:\/\/localhost:\d+\/#\/invitation\/\S+/);
    const guest = await openConsole(browser, url);
    await guest.open("");
    await look(guest, "sign-in");
    await operator.page.goto(link);
    await operator.button("Create a passkey").waitFor();
    await look(operator, "invitation");
    await operator.accept(link);
    await guest.page.goto(link);
    await guest.page.getByRole("alert").waitFor();
    expect(await guest.page.getByRole("alert").innerText()).toContain("was used");
    await guest.context.close();
    await operator.button("Sign out").click();
    await operator.button("Sign in with a passkey").click();
    await operator.button("Sign out").waitFor();
    const [cookie] = await operator.context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  });

  test("finds a stuck order by its customer's e-mail, says why it waits, and releases it", async () => {
    const merchant = await createMerchant(service);
    const choice = await buyChoice(service, merchant);
    const sessionId = newSessionId();
    const customer = { email: EMAIL, firstName: "Ada" };
    const { body } = await createToken(service, merchant, { sessionId, customer });
    const buyer = customerWith(service, sessionId, body.data.accessToken);
    const { quoteId } = await takeQuote(buyer, choice);
    const { orderId } = (await placeOrder(buyer, quoteId)).body.data;
    const hold = ["orders", "hold", String(orderId), "--reason", "screening_hit"];
    await exchangeHere(service, ...hold);

    const { page } = operator;
    await operator.open("home");
    await page.getByRole("link", { name: /in review: screening hit/ }).waitFor();
    await look(operator, "home");
    await operator.open("orders");
    await page.getByRole("searchbox").fill(EMAIL);
    await operator.button("Find").click();
    await page.getByText("E-mail address", { exact: true }).waitFor();
    await look(operator, "orders");
    await page.getByRole("link", { name: String(orderId) }).click();
    await page.getByText("In review: screening hit").first().waitFor();
    await page.getByText(EMAIL).waitFor();
    await look(operator, "order");
    await operator.button("Release").click();
    const decision = page.getByRole("dialog");
    await decision.getByLabel("Reason").fill(REASON);
    await look(operator, "release");
    await decision.getByRole("button", { name: "Release" }).click();
    await page.getByText(REASON).waitFor();
    await orderWithStatus(buyer, orderId, "awaiting_payment");
  });

  test("two treasurers approve a payout, and one alone cannot", async () => {
    const limit = ["payouts", "limits", "--currency", "btc", "--approval-above"];
    await exchangeHere(service, ...limit, "0");
    const merchant = await createMerchant(service);
    const choice = await buyChoice(service, merchant);
    const { customer, orderId } = await startOrder(service, merchant, choice);
    await payByCard(customer, orderId, CARDS.visa);
    await orderWithStatus(customer, orderId, "in_review");
    await operator.signInAgain();
    const first = await invite("tom@example.com", ["Treasury"]);
    const second = await invite("uma@example.com", ["Treasury"]);
    for (const treasurer of [first, second]) {
      await treasurer.open("payouts");
      await treasurer.button(/^Approve: /).waitFor();
      if (treasurer === first) await look(first, "payouts");
      await treasurer.button(/^Approve: /).click();
      await treasurer.button(/^Approve: /).waitFor({ state: "detached" });
      if (treasurer === first) {
        await first.page.getByRole("row", { name: /1 of 2.*tom@example.com/ }).waitFor();
        await orderWithStatus(customer, orderId, "in_review");
      }
    }
    await orderWithStatus(customer, orderId, "completed");
    await second.open(`orders/${orderId}`);
    await second.page.getByText("approved by tom@example.com, uma@example.com").waitFor();
    await look(second, "completed-order");
    expect(await second.page.getByRole("link", { name: "People" }).count()).toBe(0);
    await exchangeHere(service, ...limit, "none");
  });

  test("a price changes from tomorrow when two people agree, and its preview agrees with quotes made then", async () => {
    const merchant = await createMerchant(service);
    const choice = await buyChoice(service, merchant);
    const quoteNow = async () => takeQuote(await startSession(service, merchant), choice);
    const before = await quoteNow();
    const { page } = operator;
    await operator.signInAgain();
    await operator.open("prices");
    await page.getByRole("link", { name: "card-buy", exact: true }).waitFor();
    await look(operator, "prices");
    await page.getByRole("link", { name: "card-buy", exact: true }).click();
    await page.getByLabel("Fee", { exact: true }).fill("-5");
    const tomorrow = new Date(Date.now() + DAY_MS - new Date().getTimezoneOffset() * 60_000);
    await page.getByLabel("Takes effect").fill(tomorrow.toISOString().slice(0, 16));
    await page.getByLabel("Reason").fill("a cheaper acquirer");
    await operator.button("Propose the change").click();
    await page.getByText("The fee is -5 basis points").waitFor();
    await page.getByLabel("Fee", { exact: true }).fill("150");
    await operator.button("Show the preview").click();
    await page.getByRole("table", { name: "Preview" }).waitFor();
    await look(operator, "price-form");
    await page.getByLabel("Reason").press("Enter");
    await page.getByText("Another person must approve it.").waitFor();
    expect(await operator.button("Approve").count()).toBe(0);
    await look(operator, "price-proposed");

    const other = await invite("vera@example.com", ["Administrator"]);
    await other.open("prices?which=proposed");
    await other.button("Approve").click();
    await other.page.getByText("No change waits for a decision.").waitFor();
    expect(feePercent(before)).toBeCloseTo(2.9, 1);
    expect(feePercent(await quoteNow())).toBeCloseTo(2.9, 1);
    await exchangeHere(service, "clock", "advance", "--seconds", String(DAY_MS / 1_000));

    await other.open("prices?which=past");
    await other.page.getByText("In force", { exact: true }).last().waitFor();
    await other.button("Preview").click();
    await other.page.getByLabel("Amount").fill("100");
    await other.page.getByLabel("Spends").selectOption("cad");
    const rows = other.page.getByRole("table", { name: "Preview" }).getByRole("row");
    const after = async (name: string): Promise<number> => {
      const cell = rows.filter({ hasText: name }).getByRole("cell").last();
      return Number((await cell.innerText()).replace(" BTC", ""));
    };
    // The sandbox's prices change each second, so a quote is taken beside each preview until both meet within one.
    const customer = await startSession(service, merchant);
    let quote = await takeQuote(customer, choice);
    await other.page.route("**/v1/admin/prices/preview?*", async (route) => {
      const [response, taken] = await Promise.all([route.fetch(), takeQuote(customer, choice)]);
      quote = taken;
      await route.fulfill({ response });
    });
    await vi.waitFor(async () => {
      await Promise.all([
        other.page.waitForResponse("**/v1/admin/prices/preview?*"),
        other.button("Show the preview").click(),
      ]);
      await rows.first().waitFor();
      await expect.poll(() => after("Rate"), { timeout: 2_000 }).toBe(quote.rate);
      expect(feePercent(quote)).toBeCloseTo(1.5, 1);
      expect(await after("Customer receives")).toBe(quote.receive.amount);
      expect(await after("Transaction fee")).toBe(quote.transactionFee.amount);
    }, 120_000);
    await look(other, "price-in-force");
    expect(await other.button("Undo").count()).toBe(1);
    await operator.open("prices");
    await page.getByText(/change \d+/).waitFor();
  });

  test("asks for a fresh proof, ends sessions, and keeps what people did", async () => {
    const { page } = operator;
    // Five minutes pass for the session only.
    const body = JSON.stringify({ code: "STEP_UP_REQUIRED", message: "" });
    await page.route(
      "**/v1/admin/me/passkeys/options",
      (route) => route.fulfill({ status: 403, contentType: "application/json", body }),
      { times: 1 },
    );
    await operator.open("account");
    await page.getByText("This session").waitFor();
    await look(operator, "account");
    await operator.button("Add a passkey").click();
    await operator.button("Confirm with a passkey").waitFor();
    await look(operator, "proof");
    await operator.button("Confirm with a passkey").click();
    // The device holds a passkey of this account, so it makes no other.
    await page.getByRole("alert").waitFor();
    await operator.open("people");
    await page.getByText("tom@example.com").waitFor();
    await look(operator, "people");
    await operator.open("audit?action=release_order");
    await page.getByText(REASON).waitFor();
    await operator.open("audit");
    await page.getByText("tom@example.com").first().waitFor();
    await look(operator, "audit");
    await operator.open("audit?subject=nothing");
    await page.getByText("No change matches.").waitFor();
  });

  test("a merchant's developer makes a key, and the snippet buys on an empty page of its own server", async () => {
    const own = await ownServer();
    const { clientId } = await registerMerchant(service);
    const dora = await ofMerchant(clientId, "dora@example.com", "merchant_developer");
    const { page } = dora;
    await dora.open("keys");
    await dora.button("Create a key").click();
    const dialog = page.getByRole("dialog");
    await look(dora, "key-form");
    // A developer may neither refund nor see customers, and so may no key of theirs.
    await dialog.getByText("The other scopes need rights").waitFor();
    const offered = await dialog
      .getByRole("checkbox")
      .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
    expect(offered).toEqual(["orders.write", "webhooks.write"]);
    await dialog.getByRole("button", { name: "Create a key" }).click();
    const apiKey = await dialog.locator(".secret").innerText();
    await dora.button("Close").click();
    await page.getByLabel("New origin").fill(own.origin);
    await dora.button("Add").click();
    await dora.button(`Remove ${own.origin}`).waitFor();
    await look(dora, "keys");

    await dora.open("webhooks");
    await dora.button("Add an endpoint").click();
    await dialog.getByLabel("Address").fill(`${own.origin}/hooks`);
    await dialog.getByRole("button", { name: "Add an endpoint" }).click();
    expect(await dialog.locator(".secret").innerText()).toMatch(/^whsec_/);
    await dora.button("Close").click();

    await dora.open("install");
    await page.getByLabel("Spends").selectOption("usd");
    await page.getByLabel("Amount").fill("100");
    await page.keyboard.press("Tab");
    await page.getByLabel("Terms").selectOption("server");
    await page.getByLabel("Colour").fill("#0a7d4f");
    await page.keyboard.press("Tab");
    await page.getByLabel("Programming language").selectOption("curl");
    for (const part of ['"baseAmount":100', '"accent":"#0a7d4f"']) {
      await page.locator("pre", { hasText: part }).waitFor();
    }
    await look(dora, "install");
    const call = await copyCode(dora, "1. A token on your server, curl");
    own.copied.page = await copyCode(dora, "2. A button on your page");
    const env = { ...process.env, API_KEY: apiKey };
    own.copied.token = (await promisify(execFile)("sh", ["-c", call], { env })).stdout;

    const shop = await openPage(browser, {});
    await shop.goto(own.origin);
    await shop.getByRole("button", { name: "Continue to checkout" }).click();
    const checkout = new CheckoutPage(shop);
    await checkout.goTo("review", CARDS.visa);
    await checkout.pay();
    await checkout.see("done");
    const orderId = await checkout.orderNumber();

    // A webhook that was answered late comes again.
    await expect.poll(() => own.received.length).toBeGreaterThanOrEqual(2);
    await dora.open("webhooks?eventType=OrderFulfillment&status=delivered");
    await page.getByRole("cell", { name: String(orderId) }).waitFor();
    await look(dora, "webhooks");
    await page.getByRole("checkbox").check();
    const received = own.received.length;
    await dora.button("Send 1 again").click();
    await expect.poll(() => own.received.length).toBeGreaterThan(received);
    await page.getByRole("cell").getByRole("link").first().click();
    const signed = `.{timestamp}.OrderFulfillment.${orderId}`;
    await page.locator("pre", { hasText: signed }).waitFor();
    await look(dora, "delivery");
    own.close();

    const omar = await ofMerchant(clientId, "omar@example.com", "merchant_owner");
    await omar.open("settings");
    await omar.page.getByLabel("Colour of the button").fill("#0a7d4f");
    await omar.button("Save").first().click();
    await omar.page.getByText("Saved.").waitFor();
    await omar.page.getByText("used for the button, too low for text").waitFor();
    await look(omar, "settings");
  });

  test("a merchant's developer sends a call with a key that the browser does not store", async () => {
    const merchant = await createMerchant(service);
    const dev = await ofMerchant(merchant.clientId, "dev@example.com", "merchant_developer");
    const { page } = dev;
    await dev.open("install");
    const key = page.getByLabel("API key");
    const see = (status: number) =>
      page.getByRole("heading", { name: `Answer: ${status}`, exact: true }).waitFor();
    const body = page.getByRole("region", { name: "Body of the answer" });
    await key.fill("sk_dev_wrong");
    await dev.button("Send the call").click();
    await see(401);
    expect(await body.innerText()).toContain('"code":"UNAUTHORIZED"');
    await key.fill(merchant.apiKey);
    const [request] = await Promise.all([
      page.waitForRequest("**/v1/admin/install/try"),
      dev.button("Send the call").click(),
    ]);
    expect(request.method()).toBe("POST");
    expect(request.url()).not.toContain(merchant.apiKey);
    await see(201);
    await page.getByText("x-request-id").waitFor();
    expect(await body.innerText()).toContain('"accessToken":');
    await page.getByLabel("Format the body").check();
    expect(await body.innerText()).toContain('\n    "accessToken": ');
    await look(dev, "install-call");

    await page.getByLabel("Call", { exact: true }).selectOption("listCurrencies");
    expect(await key.inputValue()).toBe("");
    await page.getByLabel("operationType").selectOption("S");
    await key.fill(merchant.apiKey);
    await dev.button("Send the call").click();
    await see(200);
    const curl = await copyCode(dev, "The call as curl");
    expect(curl).toContain("operationType=S");
    expect(curl).not.toContain(merchant.apiKey);
    const env = { ...process.env, API_KEY: merchant.apiKey };
    const { stdout } = await promisify(execFile)("sh", ["-c", curl], { env });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(await body.innerText()));
    const stored = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]),
    );
    expect(stored).not.toContain(merchant.apiKey);
  });

  test("speaks German, keeps its filters in the address, and axe finds nothing", async () => {
    const { page } = operator;
    await operator.open("orders?status=refunded");
    await page.getByText("No order matches these filters.").waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("refunded");
    await page.getByLabel("Language").selectOption("de");
    await page.getByText("Kein Auftrag passt zu diesen Filtern.").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(faults).toEqual([]);
  });
});
