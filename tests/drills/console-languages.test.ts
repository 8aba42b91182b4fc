import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, LOOKS } from "../support/browser/browser.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  orderWithStatus,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "it", "tr", "ar"];
/** The widest words and the other direction. */
const LOOKED_AT = ["de", "ar"];
/** The screens that are looked at, the order after the orders. */
const OPERATORS = ["home", "people", "reports", "ledger", "payouts", "audit", "orders"];
const MERCHANTS = ["keys", "install"];
/** The other screens. */
const ALSO_OPERATORS = [
  ...["reviews", "treasury", "statements"],
  ...["prices", "catalogue", "merchants", "account"],
];
const ALSO_MERCHANTS = ["overview", "webhooks", "requests", "settings"];
/** The narrowest phone. */
const NARROW = { width: 320, height: 640 };

let service: StartedService;
let browser: Browser;
let url: string;
let operator: ConsolePage;
let owner: ConsolePage;
let orderId: number;

const { look, faults } = makeLook();

async function openOrder(): Promise<void> {
  await operator.page.goto(`${url}/#/orders/${orderId}`);
  await operator.page.locator(".timeline").waitFor();
}

/** Returns the widths in which the page is wider than its window. */
async function cutIn({ page }: ConsolePage): Promise<readonly number[]> {
  const cut: number[] = [];
  for (const viewport of [NARROW, LOOKS["phone-light"].viewport]) {
    await page.setViewportSize(viewport);
    const isCut = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    if (await page.evaluate(isCut)) cut.push(viewport.width);
  }
  await page.setViewportSize(LOOKS["desktop-light"].viewport);
  return cut;
}

describe.runIf(hasBrowser)("the languages of the console", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
    operator = await openConsole(browser, url);
    const [link] = await service.process.waitFor(/http:\/\/localhost:\d+\/#\/invitation\/\S+/);
    await operator.accept(link);
    const merchant = await createMerchant(service);
    const { clientId } = merchant;
    const olga = { email: "olga@example.com", role: "merchant_owner", clientId };
    owner = await invitedPerson({ service, browser, url }, olga);
    const choice = await buyChoice(service, merchant);
    const held = await startOrder(service, merchant, choice);
    const hold = ["orders", "hold", String(held.orderId), "--reason", "limit_exceeded"];
    await exchangeHere(service, ...hold);
    const paid = await startOrder(service, merchant, choice);
    await payByCard(paid.customer, paid.orderId, CARDS.visa);
    await orderWithStatus(paid.customer, paid.orderId, "completed");
    orderId = paid.orderId;
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("a browser in Arabic is asked to sign in in Arabic, from right to left", async () => {
    const guest = await openConsole(browser, url, "ar-AE");
    await guest.open("");
    await guest.page.locator('html[lang="ar"][dir="rtl"]').waitFor();
    await look(guest, "sign-in-ar");
    await guest.context.close();
  });

  test("a person chooses a language by its own name, and a reload keeps it", async () => {
    const { page } = operator;
    await operator.open("orders");
    await page.getByLabel("Language").selectOption({ label: "Türkçe" });
    await page.locator('html[lang="tr"][dir="ltr"]').waitFor();
    await page.reload();
    await page.locator('html[lang="tr"] .who').waitFor();
    expect(await page.locator(".who select").inputValue()).toBe("tr");
    await operator.speak("en");
    await page.getByRole("heading", { name: "Orders", exact: true }).waitFor();
  });

  test("a language that cannot be fetched leaves the console in English", async () => {
    const { page } = operator;
    await page.route("**/assets/locale-de-*.js", (route) => route.abort());
    // The stream of changes ends while the page goes on, and counts as a failed request too.
    const refused = page.waitForEvent("requestfailed", (request) =>
      request.url().includes("/assets/locale-de-"),
    );
    await page.locator(".who select").selectOption("de");
    await refused;
    await page.getByRole("heading", { name: "Orders", exact: true }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await page.unroute("**/assets/locale-de-*.js");
  });

  test.each(LANGUAGES)("no screen is wider than a phone in %s", async (language) => {
    const cut: string[] = [];
    const check = async (person: ConsolePage, place: string) => {
      for (const width of await cutIn(person)) cut.push(`${place} at ${width}`);
      const isLookedAt = ![...ALSO_OPERATORS, ...ALSO_MERCHANTS].includes(place);
      if (isLookedAt && LOOKED_AT.includes(language)) await look(person, `${place}-${language}`);
    };
    const places = [
      [operator, [...ALSO_OPERATORS, ...OPERATORS]],
      [owner, [...ALSO_MERCHANTS, ...MERCHANTS]],
    ] as const;
    for (const [person, own] of places) {
      await person.speak(language);
      for (const place of own) {
        await person.open(place);
        await check(person, place);
      }
    }
    await openOrder();
    await check(operator, "order");
    expect(cut).toEqual([]);
  });

  test("words of the service and errors are in the language of the person", async () => {
    await operator.speak("de");
    const { page } = operator;
    await operator.open("audit");
    await page.getByRole("cell", { name: "Einladung angenommen" }).first().waitFor();
    await operator.open("ledger");
    await page.getByRole("cell", { name: "Kartenzahlung eingezogen" }).first().waitFor();
    await page.getByRole("listitem").filter({ hasText: "Kundengelder: " }).first().waitFor();
    await page.goto(`${url}/#/orders/1`);
    const alert = page.getByRole("alert");
    await alert.getByText("Nichts hat hier die ID 1, oder Sie dürfen es nicht sehen.").waitFor();
    expect(await alert.locator("[lang=en]").count()).toBe(0);
    await page.goto(`${url}/#/reports?from=2026-02-02&to=2026-02-01`);
    await alert.getByText("Eine Ihrer Eingaben wird nicht angenommen.").waitFor();
    expect(await alert.locator("[lang=en]").innerText()).toContain("2026-02-02 to 2026-02-01");
  });

  test("in Arabic the page runs from right to left, and ids and amounts from left to right", async () => {
    await operator.speak("ar");
    await openOrder();
    const { page } = operator;
    const directionOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => getComputedStyle(node).direction);
    expect(await directionOf("h1")).toBe("rtl");
    expect(await directionOf("code")).toBe("ltr");
    expect(await page.locator(".large").innerText()).toMatch(/\u2066[\d.]+ BTC\u2069/);
  });

  test("nothing is wrong or cut off on a screen that was looked at", () => {
    expect(faults).toEqual([]);
  });
});
