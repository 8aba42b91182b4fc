import type { OrderStory } from "@exchange/contract/admin";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, LOOKS } from "../support/browser/browser.ts";
import { changeAnswer } from "../support/browser/changed-answers.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { startConsole } from "../support/browser/started-console.ts";
import { ordersAtRest } from "../support/orders/at-rest.ts";
import { exchangeHere, exchangeJson } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const ZONE = "Asia/Tokyo";
/** The least width and height of a thing that a finger presses. */
const FINGER = 44;
const PLACES = [
  ...["home", "orders", "reviews", "payouts", "treasury", "reports", "statements", "ledger"],
  ...["prices", "catalogue", "merchants", "people", "audit", "account"],
];
const AMOUNT = /^(–|-?\d{1,3}(,\d{3})*(\.\d+)? [A-Z]+)$/;

let service: StartedService;
let browser: Browser;
let operator: ConsolePage;
let page: Page;
let newOrders: readonly string[];
const { look, faults } = makeLook();

const ordersHeading = () => page.getByRole("heading", { level: 1, name: "Orders" });

/** The ids of every page of the list that is shown. */
async function listedIds(): Promise<string[]> {
  const links = page.locator('tbody a[href^="#/orders/"]');
  await links.first().waitFor();
  const ids = await links.allInnerTexts();
  const next = page.getByRole("link", { name: "Next page" });
  if ((await next.count()) === 0) return ids;
  const address = await next.getAttribute("href");
  await next.click();
  await page.waitForURL(`**/${address}`);
  await expect.poll(() => links.first().innerText()).not.toBe(ids[0]);
  return [...ids, ...(await listedIds())];
}

describe.runIf(hasBrowser)("an operator reads the console", () => {
  beforeAll(async () => {
    let url: string;
    ({ service, browser, url } = await startConsole());
    // The orders of the first day are not among those of the last 24 hours.
    await exchangeHere(service, "demo", "seed");
    await exchangeHere(service, "clock", "advance", "--seconds", String(25 * 3_600));
    const { orders } = await exchangeHere<{ orders: number[] }>(service, "demo", "seed");
    newOrders = orders.map(String);
    await ordersAtRest(service);
    operator = await openConsole(browser, url);
    ({ page } = operator);
    const emulation = await operator.context.newCDPSession(page);
    await emulation.send("Emulation.setTimezoneOverride", { timezoneId: ZONE });
    const [link] = await service.process.waitFor(/http:\/\/localhost:\d+\/#\/invitation\/\S+/);
    await operator.accept(link);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("Home names the hours that it counts, and each number opens exactly its orders", async () => {
    await operator.open("home");
    await page
      .getByText(`in your time zone, ${ZONE}. Each number of orders opens its list.`)
      .waitFor();
    for (const [name, status] of [
      ["Orders placed", undefined],
      ["Completed", "completed"],
      ["Refunded", "refunded"],
    ] as const) {
      await operator.open("home");
      const number = page.getByRole("link", {
        name: new RegExp(`^${name}: \\d+\\. Open the list`),
      });
      const count = Number(await number.innerText());
      await number.click();
      await ordersHeading().waitFor();
      await page.getByText(`Days and times are in your time zone, ${ZONE}.`).waitFor();
      const ids = await listedIds();
      const listed = await exchangeJson<{ orderId: number }[]>(
        ...([service, "orders", "list", "--limit", "1000"] as const),
        ...(status === undefined ? [] : ["--status", status]),
      );
      const found = new Set(listed.map(({ orderId }) => String(orderId)));
      expect(ids, name).toHaveLength(count);
      expect(new Set(ids), name).toEqual(new Set(newOrders.filter((id) => found.has(id))));
    }
    await operator.open("home");
    await page.getByRole("link", { name: /^Awaiting payment: [1-9]\d*\. Open the list/ }).click();
    await page.waitForURL(/#\/orders\?status=awaiting_payment$/);
    await operator.open("home");
    await page.getByRole("link", { name: "Report of this day" }).click();
    await page.getByRole("table", { name: "By day" }).waitFor();
    await page.getByText("Days are UTC days.").waitFor();
    await look(operator, "home-report");
  });

  test("a list of exact hours says its bounds, and keeps them when another filter is searched", async () => {
    // In Tokyo both seconds are on 2 January, nine hours after those of UTC.
    await operator.open("orders?from=1767279605&before=1767283205");
    await page.getByText("Placed from 2 Jan 2026, 00:00:05.").waitFor();
    await page.getByText("Placed before 2 Jan 2026, 01:00:05.").waitFor();
    await page.getByLabel("Client id of the merchant").fill("client_dev_NOBODY");
    await operator.button("Search").click();
    await page.waitForURL(/merchantId=client_dev_NOBODY/);
    expect(page.url()).toMatch(/from=1767279605&before=1767283205/);
    await page.getByLabel("To", { exact: true }).fill("2026-01-03");
    await operator.button("Search").click();
    await page.waitForURL(/before=1767452400/);
    expect(page.url()).toMatch(/from=1767279605/);
  });

  test("a merchant is chosen by a part of the name in each filter and in a rule of prices", async () => {
    for (const place of ["orders", "reports", "statements", "ledger"]) {
      await operator.open(place);
      const field = page.getByLabel("Client id of the merchant");
      const offered = page.locator("datalist option");
      expect(await offered.count(), place).toBe(0);
      await field.focus();
      await expect.poll(() => offered.allInnerTexts()).toEqual(["Corner Coins"]);
      await field.fill("nobody");
      await expect.poll(() => offered.count()).toBe(0);
      await field.fill("corner");
      await expect.poll(() => offered.count()).toBe(1);
      const clientId = await offered.getAttribute("value");
      await field.fill(clientId ?? "");
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`merchantId=${clientId}`));
    }
    await operator.open("prices");
    await page.getByText("10,000.00 EUR").first().waitFor();
  });

  test("each amount of Home, the treasury and the reports has its currency, and each figure its meaning", async () => {
    await exchangeHere(
      service,
      "treasury",
      "set",
      "--currency",
      "btc",
      "--floor",
      "1",
      "--low",
      "2",
    );
    for (const [place, terms] of [
      ["home", ["Volume", "Exchanged for customers"]],
      ["treasury", ["Hot wallet", "Promised", "Free"]],
      ["reports", ["Volume", "Exchanged for customers", "Earned"]],
    ] as const) {
      await operator.open(place);
      await page.locator(".terms").first().waitFor();
      for (const term of terms) {
        await page.getByRole("columnheader", { name: term, exact: true }).first().waitFor();
        expect(await page.locator(".terms dt").allInnerTexts()).toContain(term);
      }
      const amounts = await page.locator("td > .coins").allInnerTexts();
      expect(amounts.length).toBeGreaterThan(5);
      for (const amount of amounts) expect(amount, place).toMatch(AMOUNT);
      await look(operator, `units-${place}`);
    }
    await operator.open("treasury");
    await page.getByText(/Refill [\d.,]+ BTC\./).waitFor();
    await operator.open("home");
    await page.getByText(/Free: -?[\d.,]+ BTC/).waitFor();
  });

  test("the account of a payout has labels, and a field of a newer service is shown as plain text", async () => {
    await operator.open("orders?operation=sell&status=completed");
    const [orderId = ""] = await listedIds();
    await changeAnswer<OrderStory>(page, `**/v1/admin/orders/${orderId}`, (data) => {
      const payoutFields = [
        ...(data.customer?.payoutFields ?? []),
        { name: "sortKey", value: "<b>0042</b>" },
      ];
      return { ...data, customer: data.customer && { ...data.customer, payoutFields } };
    });
    await operator.open(`orders/${orderId}`);
    const account = page.locator(".card", { hasText: "Account for the payout" });
    for (const label of ["Account holder", "IBAN", "Other detail (sortKey)"]) {
      await account.getByText(label, { exact: true }).waitFor();
    }
    await account.getByText("<b>0042</b>").waitFor();
    expect(await account.getByText("accountHolder").count()).toBe(0);
    await page.getByText(/^1 [A-Z]+ = [\d.,]+ EUR \(/).waitFor();
    await look(operator, "payout-account");
  });

  test("an address of nothing says so, and leads back", async () => {
    for (const [address, back] of [
      ["orders/123", "Orders"],
      ["orders/abc", "Orders"],
      ["orders/..%2Fme", "Orders"],
      ["orders/%E0%A4%A", "Orders"],
      ["webhooks/nothing", "Home"],
      ["merchants/client_dev_NOBODY", "Merchants"],
      ["nonsense", "Home"],
    ] as const) {
      await operator.open(address);
      await page
        .getByText(/^(Nothing here has the id|There is no screen at this address)/)
        .waitFor();
      expect(await page.getByRole("button", { name: "Send again" }).count(), address).toBe(0);
      if (address === "orders/123" || address === "nonsense") {
        await look(operator, `nowhere-${back.toLowerCase()}`);
      }
      await page.getByRole("link", { name: `Back to ${back}` }).click();
      await page.getByRole("heading", { level: 1, name: back, exact: true }).waitFor();
    }
  });

  test("countries are in the order of their names in the person's language, and are searched by a part", async () => {
    await operator.open("catalogue");
    await operator.speak("de");
    await page.locator("summary").click();
    const names = () => page.locator("details tbody tr td:nth-child(2)").allInnerTexts();
    const all = await names();
    expect(all).toEqual(all.toSorted(new Intl.Collator("de").compare));
    expect(all).toContain("Österreich");
    await page.getByLabel("Land suchen").fill("osterr");
    await page.getByText("Gefundene Länder: 1", { exact: true }).waitFor();
    expect(await names()).toEqual(["Österreich"]);
    await page.goto(page.url().replace(/#.*/, "#/merchants"));
    await page.getByRole("button", { name: "Händler anlegen" }).click();
    const offered = page.getByRole("dialog").locator("option");
    await expect.poll(() => offered.allInnerTexts()).toEqual(all);
    await page.keyboard.press("Escape");
    await operator.speak("en");
  });

  test("a finger reaches everything on a phone, and the tab of the present place is in sight", async () => {
    const { viewport } = LOOKS["phone-light"];
    await page.setViewportSize(viewport);
    for (const place of PLACES) {
      await operator.open(place);
      const small = await page.locator("a, button, input, select, summary").evaluateAll(
        (items, least) =>
          items.flatMap((item) => {
            const { width, height } = item.getBoundingClientRect();
            const isShown = width > 1 && height > 1;
            const isSmall = Math.min(width, height) < least - 0.5;
            return isShown && isSmall ? [item.outerHTML.slice(0, 80)] : [];
          }),
        FINGER,
      );
      expect(small, place).toEqual([]);
      const tab = page.locator(".bar [aria-current=page]");
      await expect.poll(async () => (await tab.boundingBox())?.x).toBeGreaterThanOrEqual(0);
      const { x, width } = (await tab.boundingBox()) ?? { x: Number.NaN, width: 0 };
      expect(x + width, place).toBeLessThanOrEqual(viewport.width);
    }
    await page.setViewportSize(LOOKS["desktop-light"].viewport);
  });

  test("no screen that was looked at has a fault", () => {
    expect(faults).toEqual([]);
  });
});
