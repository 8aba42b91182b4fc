import type { Browser, Locator, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  placeOrder,
  SANCTIONED_ADDRESS,
  startOrder,
  startSession,
  takeQuote,
} from "../support/orders/purchase.ts";
import { exchange, exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const NOTE = "The bank confirmed the sender by telephone.";
/** A test that looks at several screens takes minutes on a busy machine. */
const LOOKS_MS = 900_000;

let service: StartedService;
let browser: Browser;
let url: string;
const { look, faults } = makeLook();

const personOf = (email: string, role: string): Promise<ConsolePage> =>
  invitedPerson({ service, browser, url }, { email, role });

async function heldOrder(): Promise<number> {
  const merchant = await createMerchant(service);
  const { orderId } = await startOrder(service, merchant, await buyChoice(service, merchant));
  const hold = ["orders", "hold", String(orderId), "--reason", "limit_exceeded"];
  await exchangeHere(service, ...hold);
  return orderId;
}

/** Returns an order with money that waits for a person: its wallet's address is sanctioned. */
async function paidOrderInReview(merchant: Merchant): Promise<number> {
  const customer = await startSession(service, merchant);
  const { quoteId } = await takeQuote(customer, await buyChoice(service, merchant));
  const { body } = await placeOrder(customer, quoteId, { walletAddress: SANCTIONED_ADDRESS });
  const { orderId } = body.data;
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "in_review");
  return orderId;
}

/** Returns a function that asks for a price of bitcoin, and returns the status of the answer. */
async function quotesOfOneSession(): Promise<() => Promise<number>> {
  const merchant = await createMerchant(service);
  const { base, target, card } = await buyChoice(service, merchant);
  const customer = await startSession(service, merchant);
  const body = {
    ...{ operationType: "B", baseCurrencyId: base.id, baseAmount: 100 },
    ...{ targetCurrencyId: target.id, paymentMethodId: card.id },
  };
  const path = "/v1/checkout/quotes";
  return async () => (await customer.call({ method: "POST", path, body })).status;
}

const rowOfBitcoin = (page: Page): Locator =>
  page
    .getByRole("table", { name: "Currencies" })
    .getByRole("row")
    .filter({ has: page.getByText("btc", { exact: true }) });

describe.runIf(hasBrowser)("the operator's desk in the console", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("an empty desk says that nothing waits, and offers to remove filters only where there are some", async () => {
    const eva = await personOf("eva@example.com", "compliance");
    for (const [place, text, button] of [
      ["orders", "This sandbox has no orders yet.", "Show all orders"],
      ["reviews", "Nothing waits for a person.", "Show all in review"],
    ] as const) {
      await eva.open(place);
      await eva.page.getByText(text).waitFor();
      await look(eva, `${place}-empty`);
      expect(await eva.page.getByRole("link", { name: button }).count()).toBe(0);
      await eva.open(`${place}?reason=underpaid`);
      await eva.page.getByRole("link", { name: button }).click();
      await eva.page.getByText(text).waitFor();
    }
    await eva.context.close();
  });

  test("one person takes an order by keyboard, a colleague sees it, and both read the note", async () => {
    const [orderId, other] = [await heldOrder(), await heldOrder()];
    const [ada, bob] = [
      await personOf("ada@example.com", "compliance"),
      await personOf("bob@example.com", "support"),
    ];
    await ada.open("home");
    await ada.page.getByRole("link", { name: /in review: limit exceeded/ }).click();
    await ada.button(`Take: ${orderId}`).focus();
    await ada.page.keyboard.press("Enter");
    await ada.button(`Free: ${orderId}`).waitFor();
    await look(ada, "reviews");

    await bob.open(`orders/${orderId}`);
    await bob.page.getByText("Taken from the review queue by ada@example.com").waitFor();
    await bob.page.getByLabel("New note").fill(NOTE);
    await bob.button("Write the note").click();
    await bob.page.getByRole("listitem").filter({ hasText: NOTE }).waitFor();
    expect(await bob.page.getByLabel("New note").inputValue()).toBe("");
    await look(bob, "order-notes");

    await ada.open("reviews?which=mine");
    await ada.page.getByRole("link", { name: String(orderId) }).click();
    await ada.page.getByText(NOTE).waitFor();
    await ada.button("Free").click();
    await ada.button("Take").waitFor();
    await ada.open("reviews?which=free");
    await ada.button(`Take: ${orderId}`).waitFor();
    await ada.button(`Take: ${other}`).waitFor();
    await ada.open(`audit?subject=${orderId}`);
    await ada.page.getByText(NOTE).waitFor();
    const { stdout } = await exchange(service, "orders", "explain", String(orderId));
    expect(stdout).toContain(`bob@example.com: ${NOTE}`);
    await ada.page.getByLabel("Language").selectOption("de");
    await ada.page.getByRole("heading", { name: "Protokoll" }).waitFor();
    await ada.open("reviews");
    await ada.button(`Übernehmen: ${orderId}`).waitFor();
    await look(ada, "reviews-de");
  });

  test("each decision about an order asks why in a dialog that fits every window, and that Escape closes", async () => {
    const ida = await personOf("ida@example.com", "compliance");
    const { page } = ida;
    const merchant = await createMerchant(service);
    const unpaid = await startOrder(service, merchant, await buyChoice(service, merchant));
    const decisions = [
      { orderId: unpaid.orderId, actions: ["Cancel order", "Hold"] },
      { orderId: await paidOrderInReview(merchant), actions: ["Release", "Refund"] },
    ];
    for (const { orderId, actions } of decisions) {
      await ida.open(`orders/${orderId}`);
      for (const action of actions) {
        await ida.button(action).focus();
        await page.keyboard.press("Enter");
        const dialog = page.getByRole("dialog", { name: `${action}: ${orderId}` });
        await dialog.getByLabel("Reason").waitFor();
        await look(ida, `order-${action.split(" ")[0]?.toLowerCase()}`);
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe(action);
      }
    }
    expect(faults).toEqual([]);
  });

  test("a decision chosen in the moment after another was closed is asked about, and Cancel leads back to it", async () => {
    const { page, ...ivy } = await personOf("ivy@example.com", "compliance");
    const orderId = await paidOrderInReview(await createMerchant(service));
    await ivy.open(`orders/${orderId}`);
    await ivy.button("Release").click();
    await page.getByRole("dialog").waitFor();
    // A busy browser may run no task of its own between two presses.
    await page.evaluate(`(async () => {
      const refund = [...document.querySelectorAll("button")].find((one) => one.textContent === "Refund");
      document.querySelector("dialog").requestClose();
      await undefined;
      refund.focus();
      refund.click();
    })()`);
    const dialog = page.getByRole("dialog", { name: `Refund: ${orderId}` });
    await dialog.getByLabel("Reason").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Refund");
  });

  test("a decision that is being made cannot be closed, and one that failed can", async () => {
    const { page, ...leo } = await personOf("leo@example.com", "compliance");
    const orderId = await paidOrderInReview(await createMerchant(service));
    await leo.open(`orders/${orderId}`);
    let late: Route | undefined;
    await page.route("**/refund", (route) => {
      late = route;
    });
    const dialog = page.getByRole("dialog", { name: `Refund: ${orderId}` });
    await leo.button("Refund").click();
    await dialog.getByLabel("Reason").fill("The customer asked for it.");
    await dialog.getByLabel("Reason").press("Enter");
    await expect.poll(() => late !== undefined).toBe(true);
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await late?.fulfill({ status: 503, json: { code: "SERVICE_UNAVAILABLE", message: "" } });
    await dialog.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("a call that failed leaves the focus at its button, and one whose answer was lost says that it may have been done", async () => {
    const { page, ...lea } = await personOf("lea@example.com", "compliance");
    await lea.open(`orders/${await paidOrderInReview(await createMerchant(service))}`);
    await lea.button("Refund").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Amount").fill("two hundred");
    await dialog.getByLabel("Reason").fill("The customer asked for it.");
    const submit = dialog.getByRole("button", { name: "Refund", exact: true });
    const press = async (text: string) => {
      await submit.focus();
      await page.keyboard.press("Enter");
      await dialog.getByText(text).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Refund");
    };
    await press("Write an amount such as 1500 or 1500.50.");
    await dialog.getByLabel("Amount").fill("");
    await page.route("**/refund", (route) => route.abort());
    await press("The service did not answer. It may have done this all the same");
    await page.unroute("**/refund");
    const refuse = { status: 403, json: { code: "STEP_UP_REQUIRED", message: "" } };
    await page.route("**/refund", (route) => route.fulfill(refuse));
    await submit.click();
    await page
      .getByRole("dialog", { name: "Is it still you?" })
      .getByRole("button", { name: "Cancel" })
      .click();
    await dialog.getByText("Nothing was changed, because the proof is missing.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Refund");
  });

  test("a proof that a session did not live to give is not given by the next person of the page", async () => {
    const { page, ...max } = await personOf("max@example.com", "compliance");
    const orderId = await paidOrderInReview(await createMerchant(service));
    await max.open(`orders/${orderId}`);
    let calls = 0;
    const refuse = (status: number, code: string) => (route: Route) =>
      route.fulfill({ status, json: { code, message: "" } });
    await page.route("**/refund", (route) => {
      calls += 1;
      return refuse(403, "STEP_UP_REQUIRED")(route);
    });
    await page.route("**/v1/admin/me/step_up/*", refuse(401, "SIGN_IN_REQUIRED"));
    await max.button("Refund").click();
    await page.getByLabel("Reason").fill("The customer asked for it.");
    await page.getByLabel("Reason").press("Enter");
    await max.button("Confirm with a passkey").click();
    await max.button("Sign in with a passkey").click();
    await page.getByRole("heading", { level: 1, name: String(orderId) }).waitFor();
    await max.button("Refund").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(calls).toBe(1);
  });

  test("orders are filtered by status, reason and merchant, and the address keeps all three", async () => {
    const { page, ...ada } = await personOf("fay@example.com", "compliance");
    const orderId = await heldOrder();
    await ada.open("orders");
    await page.getByLabel("Status").selectOption("in_review");
    await page.getByLabel("Reason").selectOption("limit_exceeded");
    await page.getByRole("link", { name: String(orderId) }).waitFor();
    await page.getByLabel("Client id of the merchant").fill("client_dev_NOBODY");
    await page.getByLabel("Client id of the merchant").press("Enter");
    await page.getByText("No order matches these filters.").waitFor();
    expect(page.url()).toContain(
      "status=in_review&reason=limit_exceeded&merchantId=client_dev_NOBODY",
    );
    await look({ page, ...ada }, "orders-filtered");
  });

  let admin: ConsolePage;
  let quoteStatus: () => Promise<number>;

  test("an administrator stops a coin by keyboard, and quotes refuse it at once", {
    timeout: LOOKS_MS,
  }, async () => {
    quoteStatus = await quotesOfOneSession();
    expect(await quoteStatus()).toBe(200);
    admin = await personOf("gus@example.com", "administrator");
    const { page } = admin;
    await admin.open("catalogue");
    const row = rowOfBitcoin(page);
    await row.getByText("Offered").waitFor();
    await row.getByRole("button").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("the chain split");
    await look(admin, "catalogue-stop");
    await dialog.getByLabel("Reason").press("Enter");
    await row.getByText("the chain split (gus@example.com").waitFor();
    await vi.waitFor(async () => expect(await quoteStatus()).toBe(503), 60_000);
    await look(admin, "catalogue-stopped");
    await admin.open("home");
    await page.getByRole("link", { name: /Stopped: .*btc/ }).waitFor();
  });

  test("an administrator stops a pair, and resumes it and the coin", {
    timeout: LOOKS_MS,
  }, async () => {
    const { page } = admin;
    // The looks of the test before may have outlived the proof.
    await admin.signInAgain();
    await admin.open("catalogue");
    const dialog = page.getByRole("dialog");
    await admin.button("Stop a pair or a merchant").click();
    await dialog.getByLabel("Which").fill("eur-btc");
    await dialog.getByLabel("Reason").fill("the price is odd");
    await look(admin, "catalogue-stop-pair");
    await dialog.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("table", { name: "Stopped pairs and merchants" }).waitFor();
    for (const name of ["A currency btc", "A pair of currencies eur-btc"]) {
      await admin.button(`Resume: ${name}`).click();
      await admin.button(`Resume: ${name}`).waitFor({ state: "detached" });
    }
    await rowOfBitcoin(page).getByText("Offered").waitFor();
    await vi.waitFor(async () => expect(await quoteStatus()).toBe(200), 60_000);
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "Katalog" }).waitFor();
    await page.getByRole("table", { name: "Zahlungsarten" }).waitFor();
    await look(admin, "catalogue-de");
  });

  test("nothing is wrong or cut off on any screen, wide or as a phone, light or dark", () => {
    expect(faults).toEqual([]);
  });
});
