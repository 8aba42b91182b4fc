import type { OrderStory, Overview } from "@exchange/contract/admin";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import { changeAnswer } from "../support/browser/changed-answers.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import {
  invitedPerson,
  type StartedConsole,
  startConsole,
} from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";

const APPROVE = /^Approve: /;

let started: StartedConsole;
let browser: Browser;
let tara: ConsolePage;
let page: Page;
const { look, faults } = makeLook();

const treasurer = (email: string): Promise<ConsolePage> =>
  invitedPerson(started, { email, role: "treasury" });

/** Pays an order whose payout needs two approvals. */
async function waitingOrder(): Promise<number> {
  const merchant = await createMerchant(started.service);
  const choice = await buyChoice(started.service, merchant);
  const { customer, orderId } = await startOrder(started.service, merchant, choice);
  await payByCard(customer, orderId, CARDS.visa);
  await orderWithStatus(customer, orderId, "in_review");
  return orderId;
}

describe.runIf(hasBrowser)("an operator on a bad night", () => {
  beforeAll(async () => {
    started = await startConsole();
    ({ browser } = started);
    const limit = ["payouts", "limits", "--currency", "btc", "--approval-above", "0"];
    await exchangeHere(started.service, ...limit);
    tara = await treasurer("tara@example.com");
    ({ page } = tara);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await started?.service.discard();
  });

  test("an order whose payout waits says why, and leads to that payout alone", async () => {
    const orders = [await waitingOrder(), await waitingOrder()];
    await tara.open(`orders/${orders[0]}`);
    await page
      .getByText(/^Its payout waits: two people must approve: above €0.00 for BTC. A release alone/)
      .waitFor();
    await look(tara, "order-with-waiting-payout");
    // The service filters, because a list of all payouts is cut.
    const list = page.waitForRequest(`**/payouts?which=under_way&orderId=${orders[0]}`);
    await page.getByRole("link", { name: "Open the payout" }).click();
    await list;
    await page.getByText(`Only payouts of order ${orders[0]} are shown.`).waitFor();
    await tara.button(APPROVE).waitFor();
    expect(await tara.button(APPROVE).count()).toBe(1);
    await look(tara, "payout-of-order");
    await page.getByRole("link", { name: "Show all payouts" }).click();
    await page.getByRole("link", { name: String(orders[1]) }).waitFor();
    expect(await tara.button(APPROVE).count()).toBe(2);
  });

  test("an order whose payout was sent under a stop, or was refunded, does not say that it waits", async () => {
    const sent = await waitingOrder();
    await changeAnswer<OrderStory>(page, `**/v1/admin/orders/${sent}`, (data) => ({
      ...data,
      payouts: data.payouts.map((payout) => ({
        ...{ ...payout, state: "broadcast" as const, waitsFor: null },
        stops: ["the node is behind"],
      })),
    }));
    const refunded = await waitingOrder();
    const refund = ["orders", "refund", "--order", String(refunded), "--as", "carl"];
    await exchangeHere(started.service, ...refund);
    for (const orderId of [sent, refunded]) {
      await tara.open(`orders/${orderId}`);
      await page.getByRole("heading", { name: "Payouts and refunds" }).waitFor();
      expect(await page.getByText(/^Its payout waits/).count(), String(orderId)).toBe(0);
    }
  });

  test("a decision names what the order waits for and the money that came in, and a refund the way that it goes back", async () => {
    const carl = await invitedPerson(started, { email: "carl@example.com", role: "compliance" });
    await carl.open(`orders/${await waitingOrder()}`);
    for (const [action, facts] of [
      ["Release", ["Status", "Spends", "Received"]],
      ["Refund", ["Status", "Spends", "Received", "Paid by"]],
    ] as const) {
      await carl.button(action).click();
      const dialog = carl.page.getByRole("dialog");
      expect(await dialog.locator("dt").allInnerTexts(), action).toEqual(facts);
      expect(await dialog.locator("dd").nth(2).innerText()).toMatch(/^\d+(\.\d+)? [A-Z]{3}$/);
      await look(carl, `decision-${action.toLowerCase()}`);
      await carl.page.keyboard.press("Escape");
    }
    await carl.context.close();
  });

  test("a person who agreed to resume sees who agreed, and is not asked again", async () => {
    const stop = ["payouts", "stop", "--rail", "bank", "--reason", "the statement is late"];
    await exchangeHere(started.service, ...stop, "--as", "anna");
    await tara.signInAgain();
    await tara.open("payouts");
    await tara.button("Agree to resume").click();
    await page.getByText("You have agreed. Another person must agree too.").waitFor();
    await page.getByText("1 of 2 people agreed to resume. tara@example.com").waitFor();
    expect(await tara.button("Agree to resume").count()).toBe(0);
    await look(tara, "own-agreement");
    const uma = await treasurer("uma@example.com");
    await uma.open("treasury");
    await uma.page.getByText("tara@example.com").waitFor();
    await uma.button("Agree to resume").click();
    await uma.button("Agree to resume").waitFor({ state: "detached" });
    expect(await uma.page.getByText("the statement is late").count()).toBe(0);
    await uma.context.close();
  });

  test("Home begins with troubles of many orders, and links only to a place that helps", async () => {
    const orderId = await waitingOrder();
    await changeAnswer<Overview>(page, "**/v1/admin/overview", (data) => ({
      ...data,
      alerts: [{ cause: "rail_down:card", summary: "The rail card is down.", beganAt: 1 }],
      breaks: [
        {
          subject: `order:${orderId}`,
          check: "an order holds what its status says",
          problem: "too much",
          foundAt: 1,
        },
      ],
    }));
    await tara.open("home");
    const waiting = page.locator("section", { hasText: "Needs a person now" }).locator("li strong");
    await waiting.first().waitFor();
    expect(await waiting.allInnerTexts()).toEqual([
      "The rail card does not work",
      `The audit found a break: order:${orderId}`,
      expect.stringMatching(/^\d in review: limit exceeded$/),
      expect.stringMatching(/^\d payouts wait$/),
    ]);
    await look(tara, "home-in-trouble");
    expect(await page.getByRole("link", { name: /The rail card/ }).count()).toBe(0);
    const story = `**/v1/admin/orders/${orderId}`;
    const found = { check: "an order holds what its status says", problem: "too much" } as const;
    await changeAnswer<OrderStory>(page, story, (data) => ({ ...data, openBreaks: [found] }));
    await page.getByRole("link", { name: "The audit found a break" }).click();
    await page.getByText(`The audit found a break. ${found.check}: too much`).waitFor();
    await look(tara, "order-with-break");
    await page.getByRole("link", { name: "Open breaks" }).click();
    await page.getByRole("heading", { level: 1, name: "Treasury" }).waitFor();
  });

  test("no screen that was looked at has a fault", () => {
    expect(faults).toEqual([]);
  });
});
