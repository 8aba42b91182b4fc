import { readFileSync } from "node:fs";
import path from "node:path";
import type {
  AdminPayout,
  OpenBreak,
  Overview,
  PayoutTotal,
  Treasury,
} from "@exchange/contract/admin";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePages, hasBrowser, LOOKS } from "../support/browser/browser.ts";
import { changeAnswer, leaveAnswers } from "../support/browser/changed-answers.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { shownAmount } from "../support/browser/shown-amount.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { ordersAtRest } from "../support/orders/at-rest.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { ROOT, type StartedService } from "../support/service/service.ts";

const LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "it", "tr", "ar"] as const;
const NARROW = { width: 360, height: 780 };
const APPROVE = /^Approve: /;
const APPROVALS = "Two people must approve";
const STOPPED = "It is stopped";

let service: StartedService;
let browser: Browser;
let tara: ConsolePage;
let page: Page;
const { look, faults } = makeLook();

type Texts = Readonly<Record<string, string>>;
const textsOf = (language: string): Texts =>
  JSON.parse(readFileSync(path.join(ROOT, `apps/console/locales/${language}.json`), "utf8"));

const answer = async <Data>(address: string): Promise<Data> => {
  const response = await page.context().request.get(new URL(address, page.url()).href);
  return ((await response.json()) as { data: Data }).data;
};
const waiting = () => answer<readonly AdminPayout[]>("/v1/admin/payouts");
const group = (title: string) =>
  page.locator("section", { has: page.locator("h2", { hasText: title }) });

describe.runIf(hasBrowser)("a treasury desk with many payouts", () => {
  beforeAll(async () => {
    const started = await startConsole();
    ({ service, browser } = started);
    await exchangeHere(service, "payouts", "limits", "--currency", "btc", "--approval-above", "0");
    const stop = ["payouts", "stop", "--rail", "bank", "--reason", "the statement is late"];
    await exchangeHere(service, ...stop, "--as", "anna");
    await exchangeHere(service, "demo", "seed");
    tara = await invitedPerson(started, { email: "tara@example.com", role: "treasury" });
    ({ page } = tara);
    await tara.open("payouts");
    await ordersAtRest(service);
    const isMany = async () => expect((await waiting()).length).toBeGreaterThan(8);
    await vi.waitFor(isMany, 60_000);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("until the stops are known, no placeholder stands above the filters, which would move them", async () => {
    const stops = /\/v1\/admin\/stops$/;
    await page.route(stops, () => {});
    await page.reload();
    await page.locator("main .filters").waitFor();
    const above = await page
      .locator("main .filters")
      .evaluate((filters) => filters.previousElementSibling?.getAttribute("aria-busy"));
    expect(above).toBeNull();
    await page.unroute(stops);
  });

  test("payouts are tables by their cause, and their totals are the exact sums", async () => {
    await tara.open("payouts");
    let listed = await waiting();
    const rows = page.locator("tbody tr", { has: page.locator('a[href^="#/orders/"]') });
    const missing = async () => {
      listed = await waiting();
      return listed.length - (await rows.count());
    };
    await expect.poll(missing).toBe(0);
    for (const [title, code] of [
      [APPROVALS, "approvals"],
      [STOPPED, "stop"],
    ] as const) {
      const own = listed.filter(({ wait }) => wait?.code === code);
      expect(own.length, title).toBeGreaterThan(0);
      expect(await group(title).locator("tbody tr").count(), title).toBe(own.length);
      expect(await group(title).locator("h2").innerText()).toBe(`${title} ${own.length}`);
    }
    const totals = await answer<readonly PayoutTotal[]>("/v1/admin/payouts/totals");
    expect(totals.reduce((sum, { count }) => sum + count, 0)).toBe(listed.length);
    for (const { amount, count } of totals) {
      const code = amount.currency.toUpperCase();
      const row = page
        .getByRole("table", { name: "Totals by currency" })
        .locator("tr", { hasText: code });
      const cells = await row.getByRole("cell").allInnerTexts();
      expect(cells.slice(0, 3)).toEqual([code, shownAmount(amount.amount, code), String(count)]);
    }
    await look(tara, "payouts-desk");
  });

  test("Approve stands only where an approval is missing, and a stopped payout leads to its stop", async () => {
    // The test before may have outlived the proof.
    await tara.signInAgain();
    await tara.open("payouts");
    const approvals = (await waiting()).filter(({ wait }) => wait?.code === "approvals");
    await expect.poll(() => tara.button(APPROVE).count()).toBe(approvals.length);
    expect(await group(STOPPED).getByRole("button", { name: APPROVE }).count()).toBe(0);
    await group(STOPPED).getByRole("button", { name: "See the stop: A rail bank" }).first().focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.textContent")).toContain(
      "the statement is late",
    );
    const [first] = approvals;
    const named = `Approve: ${shownAmount(first?.amount.amount, "btc")}, order ${first?.orderId}`;
    await tara.button(named).click();
    await tara.button(named).waitFor({ state: "detached" });
    await page
      .getByRole("row", { name: new RegExp(`${first?.orderId}.*1 of 2.*tara@example.com`) })
      .waitFor();
    expect(await tara.button(APPROVE).count()).toBe(approvals.length - 1);
  });

  test("a payout that a stop covers keeps Approve while its approvals are missing, and a limit without approvals has none", async () => {
    const [first, second] = (await waiting()).filter(
      ({ mayApprove, wait }) => mayApprove && wait?.code === "approvals",
    );
    await changeAnswer<readonly AdminPayout[]>(page, "**/v1/admin/payouts?*", (data) =>
      data
        .filter(({ payoutId }) => payoutId === first?.payoutId || payoutId === second?.payoutId)
        .map((payout) =>
          payout.payoutId === first?.payoutId
            ? { ...payout, stoppedBy: [{ kind: "all", subject: "" }] }
            : { ...payout, wait: { code: "payout_limit", limitEuroCents: 100, limitOf: null } },
        ),
    );
    await tara.open("payouts?currency=btc");
    await page.getByText("above €1.00 for all currencies together").waitFor();
    expect(await tara.button(APPROVE).count()).toBe(1);
    await group("It is above the limit of one payout")
      .getByText("No approval lifts this limit.")
      .waitFor();
    await leaveAnswers(page);
  });

  test("each filter stands in the address, reaches the service, and survives the others", async () => {
    const { orderId } = (await waiting()).find(({ wait }) => wait?.code === "approvals") ?? {};
    await tara.open(`payouts?which=under_way&orderId=${orderId}`);
    await page.getByText(`Only payouts of order ${orderId} are shown.`).waitFor();
    const list = page.waitForRequest(`**/payouts?which=waiting&orderId=${orderId}`);
    await page.getByLabel("Show").selectOption("waiting");
    await list;
    await page.waitForURL(new RegExp(`#/payouts\\?orderId=${orderId}$`));
    await page.getByText(`Only payouts of order ${orderId} are shown.`).waitFor();
    await page.getByLabel("Show").selectOption("under_way");
    const ofCurrency = page.waitForRequest(
      `**/payouts?which=under_way&orderId=${orderId}&currency=btc`,
    );
    await page.getByRole("link", { name: "BTC", exact: true }).click();
    await ofCurrency;
    await page.getByText("Only payouts in BTC are shown.").waitFor();
    await page.reload();
    await page.getByText("Only payouts in BTC are shown.").waitFor();
    expect(await page.getByLabel("Show").inputValue()).toBe("under_way");
    await page.getByRole("link", { name: "Show all payouts" }).click();
    await page.waitForURL(/#\/payouts\?which=under_way$/);
  });

  test("sixty payouts are scanned on a phone of 360 pixels, and a list that is cut says so", async () => {
    await changeAnswer<readonly AdminPayout[]>(page, "**/v1/admin/payouts?*", (data) =>
      Array.from({ length: 60 }, (_, at) => ({
        ...(data[at % data.length] as AdminPayout),
        payoutId: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
      })),
    );
    await changeAnswer<readonly PayoutTotal[]>(page, "**/v1/admin/payouts/totals*", (data) =>
      data.map((total) => ({ ...total, count: 100 })),
    );
    await page.setViewportSize(NARROW);
    await tara.open("payouts?which=under_way");
    await page.getByText(/^Payouts shown: the oldest 60 of [234]00\./).waitFor();
    const cards = page.locator("tbody tr", { has: page.locator('a[href^="#/orders/"]') });
    await expect.poll(() => cards.count()).toBe(60);
    const isCut = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect(await page.evaluate(isCut)).toBe(false);
    const heights = await cards.evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect().height),
    );
    expect(Math.max(...heights)).toBeLessThan(NARROW.height / 3);
    await page.setViewportSize(LOOKS["desktop-light"].viewport);
    await leaveAnswers(page);
  });

  test("a part of the screen that cannot be read says which one it is, and the others stay", async () => {
    await page.route("**/v1/admin/stops", (route) =>
      route.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "" } }),
    );
    await tara.open("home");
    await tara.open("payouts");
    await page
      .locator(".card", { has: page.getByRole("heading", { name: "Stopped" }) })
      .getByRole("alert")
      .waitFor();
    await group(APPROVALS).waitFor();
    await look(tara, "payouts-without-stops");
    await leaveAnswers(page);
  });

  test("the causes of payouts and the checks of the audit are said in every language", async () => {
    const found: OpenBreak = {
      ...{ subject: "rails", check: "the rail moves money once", foundAt: 1 },
      problem: "the rail settled x 2 times",
    };
    await changeAnswer<Overview>(page, "**/v1/admin/overview", (data) => ({
      ...data,
      breaks: [found],
    }));
    await changeAnswer<Treasury>(page, "**/v1/admin/treasury", (data) => ({
      ...data,
      breaks: [found],
    }));
    const orderId = (await waiting()).find(({ wait }) => wait?.code === "approvals")?.orderId;
    for (const language of LANGUAGES) {
      await tara.speak(language);
      const texts = textsOf(language);
      const shown = async () =>
        (await page.locator("main").innerText()).toLocaleLowerCase(language);
      const says = (key: string) =>
        expect.poll(shown, { message: key }).toContain(texts[key]?.toLocaleLowerCase(language));
      await tara.open("payouts");
      for (const key of ["wait.approvals", "wait.stop", "wait_text.stop"]) await says(key);
      await tara.open("home");
      for (const key of ["wait.approvals", "check.the rail moves money once"]) await says(key);
      await tara.open("treasury");
      await says("check.the rail moves money once");
      await tara.open(`orders/${orderId}`);
      await says("wait.approvals");
      for (const place of ["payouts", "home", `orders/${orderId}`]) {
        await tara.open(place);
        const text = await page.locator("main").innerText();
        expect(text, `${language} ${place}`).not.toMatch(/a payout needs|stopped: rail/);
      }
      if (language === "de" || language === "ar") await look(tara, `payouts-${language}`);
    }
    await leaveAnswers(page);
    await page.locator(".who select").selectOption("en");
    await page.locator('html[lang="en"] .who').waitFor();
  });

  test("the log of changes names what changed in words, and repeats neither the person nor the reason", async () => {
    await tara.open("audit?subject=rail%20bank");
    const row = page.getByRole("row", { name: /Stopped payouts/ });
    await row.waitFor();
    expect(await row.getByText("the statement is late").count()).toBe(1);
    expect(await row.getByRole("cell").nth(4).innerText()).toBe("people to resume: 2");
  });

  test("no screen that was looked at has a fault", () => {
    expect(faults).toEqual([]);
  });
});
