import { readFile } from "node:fs/promises";
import type { DaysReport, Statement } from "@exchange/contract/admin";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import { changeAnswer } from "../support/browser/changed-answers.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { shownAmount } from "../support/browser/shown-amount.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { ordersAtRest } from "../support/orders/at-rest.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { exchange, exchangeHere, exchangeJson } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const { look, faults } = makeLook();

let service: StartedService;
let browser: Browser;
let url: string;
let clientId: string;

type Row = Readonly<Record<string, string>>;
function rowsOf(csv: string): Row[] {
  const [head = "", ...lines] = csv.split("\r\n").filter((line) => line !== "");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  });
}

/** An exact amount in units of 10^-18. */
function unitsOf(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const units = BigInt(`${whole}${fraction.padEnd(18, "0")}`);
  return text.startsWith("-") ? -units : units;
}

const personOf = (email: string, role: string, ofMerchant?: string): Promise<ConsolePage> =>
  invitedPerson({ service, browser, url }, { email, role, clientId: ofMerchant });

/** Clicks a button that saves a file, and returns its name and text. */
async function save({ page, button }: ConsolePage, name: string) {
  const [file] = await Promise.all([page.waitForEvent("download"), button(name).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

/** Reads an endpoint as the page does. */
const read = <Data>(page: Page, path: string): Promise<Data> =>
  page.evaluate(async (address) => (await (await fetch(address)).json()).data, path);

/** The texts of a table's cells by column. */
const tableOf = (page: Page, caption: string): Promise<Row[]> =>
  page.getByRole("table", { name: caption }).evaluate((table) => {
    const texts = (cells: Iterable<Element>) => [...cells].map((cell) => cell.textContent ?? "");
    const names = texts(table.querySelectorAll("th"));
    return [...table.querySelectorAll("tbody tr")].map((row) =>
      Object.fromEntries(texts(row.children).map((text, at) => [names[at] ?? "", text])),
    );
  });

/** Returns a UTC day as the language and the region of the page write it. */
const dayIn = (page: Page, day: string): Promise<string> =>
  page.evaluate((text) => {
    const { lang } = document.documentElement;
    const look = { dateStyle: "long", timeZone: "UTC" } as const;
    return new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, look).format(new Date(text));
  }, day);

describe.runIf(hasBrowser)("the money in the console", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
    const demo = await readFile(`${service.dataDir}/demo-merchant.json`, "utf8");
    clientId = (JSON.parse(demo) as { clientId: string }).clientId;
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("`exchange demo seed` makes a lively day, and prod refuses it", async () => {
    const [before, startMs] = [process.cpuUsage(), performance.now()];
    // The shell of the command need not know the port of the service.
    const { PORT: _port, ...unaware } = service.env;
    const made = await exchangeHere<{
      orders: number[];
      statuses: Record<string, number>;
      failures: string[];
    }>({ ...service, env: unaware }, "demo", "seed");
    const { user, system } = process.cpuUsage(before);
    const seconds = (performance.now() - startMs) / 1_000;
    await ordersAtRest(service);
    expect(made.failures).toEqual([]);
    expect(made.orders.length).toBeGreaterThan(40);
    for (const status of ["awaiting_payment", "in_review", "completed", "cancelled"]) {
      expect(made.statuses[status], status).toBeGreaterThan(0);
    }
    // A slow processor works longer, but the command mostly waits.
    expect((user + system) / 1e6).toBeLessThan(Math.max(10, seconds / 3));
    const env = { ...service.env, EXCHANGE_ENV: "prod" };
    const refused = await exchange({ ...service, env }, "demo", "seed");
    expect(refused.status).toBeGreaterThan(0);
    expect(refused.stderr).toContain("prod");
  });

  test("every figure of the plot is in its table, its file and its endpoint", async () => {
    const treasurer = await personOf("tom@example.com", "treasury");
    const { page } = treasurer;
    await treasurer.open("reports");
    await page.getByRole("table", { name: "By day" }).waitFor();
    await look(treasurer, "reports");
    const table = await tableOf(page, "By day");
    const { name, text } = await save(treasurer, "Days (CSV)");
    expect(name).toMatch(/^days-\d{4}-\d{2}-\d{2}-\d{4}-\d{2}-\d{2}\.csv$/);
    const file = rowsOf(text);
    const [, from = "", to = ""] = /days-(.{10})-(.{10})\.csv/.exec(name) ?? [];
    const report = await read<DaysReport>(page, `/v1/admin/reports/days?from=${from}&to=${to}`);
    expect(report.days.length).toBeGreaterThan(4);
    expect(file).toEqual(report.days.map((day) => ({ ...day, orders: String(day.orders) })));
    const columns = ["Volume", "Exchanged for customers", "Earned"];
    expect(table.map((row) => columns.map((name) => row[name]))).toEqual(
      file.map((row) =>
        ["volume", "delivered", "fees"].map((name) => shownAmount(row[name], row["currency"])),
      ),
    );
    for (const [measure, column] of [
      ["volume", "Volume"],
      ["fees", "Earned"],
    ] as const) {
      await page.getByLabel("Plot").selectOption(measure);
      await page.getByRole("group", { name: column }).waitFor();
      const currency = await page.getByLabel("Currency").inputValue();
      const bars = await page.locator("rect[data-amount]").evaluateAll((rects) =>
        rects.map((rect) => ({
          day: rect.getAttribute("data-day"),
          series: rect.getAttribute("data-series"),
          amount: rect.getAttribute("data-amount"),
        })),
      );
      const rows = report.days.filter((day) => day.currency === currency && day[measure] !== "0");
      expect(rows.length).toBeGreaterThan(0);
      expect(bars).toEqual(
        rows.map((row) => ({ day: row.day, series: row.operation, amount: row[measure] })),
      );
    }
    const json = JSON.parse((await save(treasurer, "Days (JSON)")).text) as Row[];
    expect(json).toEqual(file);
    await treasurer.open("treasury");
    await page.getByRole("table", { name: "Balances by asset" }).waitFor();
    await look(treasurer, "treasury");
    await treasurer.open("ledger?account=spread_revenue&currency=btc");
    await page.getByRole("table", { name: "Entries" }).waitFor();
    await look(treasurer, "ledger");
  });

  test("the arrow keys and the mouse tell the days of a plot in the person's language, and Tab leaves it", async () => {
    const treasurer = await personOf("tess@example.com", "treasury");
    const { page } = treasurer;
    let span = { from: "", to: "" };
    // The seeded orders are of one day. A plot of three has something to move over.
    await changeAnswer<DaysReport>(page, "**/v1/admin/reports/days?*", (data) => {
      const dayOf = (later: number): string =>
        new Date(Date.parse(data.from) + later * 86_400_000).toISOString().slice(0, 10);
      const days = [2, 9, 28].flatMap((later) =>
        data.days.map((row) => ({ ...row, day: dayOf(later) })),
      );
      span = data;
      return { ...data, days };
    });
    for (const language of ["en", "ar"]) {
      await treasurer.open("reports");
      // The choice loads the page again, even if it is the current one.
      const loading = page.waitForEvent("framenavigated");
      await page.locator(".who select").selectOption(language);
      await loading;
      await page.locator(`html[lang="${language}"] .plot`).waitFor();
      const bars = await page.locator("rect[data-day]").evaluateAll((rects) =>
        rects.map((rect) => ({
          day: rect.getAttribute("data-day") ?? "",
          amount: rect.getAttribute("data-amount") ?? "",
          x: rect.getBoundingClientRect().x + rect.getBoundingClientRect().width / 2,
        })),
      );
      const days = [...new Set(bars.map(({ day }) => day))].toSorted();
      const [first = "", last = ""] = [days[0], days.at(-1)];
      const status = page.locator(".plot [role=status]");
      const tells = async (day: string) => {
        await expect.poll(() => status.innerText()).toContain(await dayIn(page, day));
        const text = await status.innerText();
        for (const { amount } of bars.filter((bar) => bar.day === day)) {
          expect(text).toContain(amount);
        }
      };
      expect(days).toHaveLength(3);
      const ends = await page.locator(".plot .ends bdi").allInnerTexts();
      expect(ends).toEqual([await dayIn(page, span.from), await dayIn(page, span.to)]);
      const heading = await page.locator(".plot figcaption").innerText();
      for (const end of ends) expect(heading).toContain(end);
      await page.locator(".plot [tabindex]").focus();
      await tells(last);
      await page.keyboard.press("ArrowLeft");
      await tells(days.at(-2) ?? "");
      await page.keyboard.press("ArrowRight");
      await tells(last);
      await page.keyboard.press("Home");
      await tells(first);
      await page.keyboard.press("ArrowLeft");
      await tells(first);
      await page.keyboard.press("End");
      await tells(last);
      if (language === "ar") await look(treasurer, "plot-ar");
      await page.keyboard.press("Tab");
      expect(await page.locator(".plot [tabindex]:focus").count()).toBe(0);
      await expect.poll(() => status.innerText()).toBe("");
      const bar = bars.find(({ day }) => day === first);
      const box = await page.locator(".plot [tabindex]").boundingBox();
      await page.mouse.move(bar?.x ?? 0, (box?.y ?? 0) + 20);
      await tells(first);
      await page.mouse.move(0, 0);
      await expect.poll(() => status.innerText()).toBe("");
    }
    await treasurer.context.close();
  });

  test("finance downloads a statement whose sum is the ledger's, of its merchant alone", async () => {
    const finance = await personOf("fay@example.com", "merchant_finance", clientId);
    const { page } = finance;
    await page.getByRole("table", { name: "Totals" }).waitFor();
    await look(finance, "merchant-home");
    await finance.open("statements");
    await page.getByRole("table", { name: "Statements" }).waitFor();
    await look(finance, "statements");
    const { name, text } = await save(finance, "Save as CSV");
    const [, from = "", to = ""] = /statement-(.{10})-(.{10})\.csv/.exec(name) ?? [];
    const rows = rowsOf(text);
    const span = ["--from", to, "--to", to, "--client", clientId, "--format", "csv"];
    const books = rowsOf((await exchange(service, "reports", "balances", ...span)).stdout);
    const closing = rows.filter(({ kind }) => kind === "closing");
    const shown = await tableOf(page, "Statements");
    expect(closing.length).toBeGreaterThan(5);
    for (const { account, currency, amount = "" } of closing) {
      const isOwn = (row: Row) => row["account"] === account && row["currency"] === currency;
      const moved = rows.filter((row) => isOwn(row) && row["kind"] !== "closing");
      const sum = moved.reduce((total, row) => total + unitsOf(row["amount"] ?? ""), 0n);
      expect(sum, `${account} ${currency}`).toBe(unitsOf(amount));
      expect(books.find(isOwn)?.["balance"]).toBe(amount);
    }
    expect(shown.map((row) => row["Closing sum"])).toEqual(
      closing.map(({ amount, currency }) => shownAmount(amount, currency)),
    );
    expect(new Set(rows.map(({ merchant }) => merchant))).toEqual(new Set([clientId]));
    const other = await createMerchant(service);
    const named = `/v1/admin/statements?from=${from}&to=${to}&merchantId=${other.clientId}`;
    expect((await read<Statement>(page, named)).merchantId).toBe(clientId);
    const stranger = await personOf("sue@example.com", "merchant_owner", other.clientId);
    await stranger.page.getByText("Nothing was exchanged in these days.").waitFor();
    await stranger.open("statements");
    await stranger.page.getByText("Nothing is booked up to the last day.").waitFor();
    await stranger.context.close();
  });

  test("a file that is saved after the session has ended leads to the sign-in", async () => {
    const viewer = await personOf("vito@example.com", "viewer");
    await viewer.open("orders");
    await viewer.page.route("**/v1/admin/orders/export*", (route) =>
      route.fulfill({ status: 401, json: { code: "SIGN_IN_REQUIRED", message: "" } }),
    );
    await viewer.button("Save as CSV").click();
    await viewer.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await viewer.context.close();
  });

  test("a list saves what it shows, by the filters of its address, in German too", async () => {
    const viewer = await personOf("vera@example.com", "viewer");
    const { page } = viewer;
    await viewer.open("orders?status=in_review");
    await page.getByRole("table", { name: "Orders" }).waitFor();
    await look(viewer, "orders-in-review");
    const shown = (await tableOf(page, "Orders")).map((row) => row["Order"]);
    const rows = rowsOf((await save(viewer, "Save as CSV")).text);
    expect(rows.map((row) => row["order"])).toEqual(shown);
    const listed = await exchangeJson<{ id: number }[]>(
      service,
      "orders",
      "list",
      "--status",
      "in_review",
    );
    expect(rows).toHaveLength(listed.length);
    for (const [place, caption, shownAs, column] of [
      ["reviews?which=free", "Review", "Order", "order"],
      ["merchants", "Merchants", "Client id", "merchant"],
    ] as const) {
      await viewer.open(place);
      await page.getByRole("table", { name: caption }).waitFor();
      const texts = (await tableOf(page, caption)).map((row) => row[shownAs]);
      const saved = rowsOf((await save(viewer, "Save as CSV")).text);
      expect(saved.map((row) => row[column])).toEqual(texts);
      expect(texts.length).toBeGreaterThan(0);
    }
    const developer = await personOf("dora@example.com", "merchant_developer", clientId);
    for (const place of ["requests?outcome=failed", "webhooks?status=delivered"]) {
      await developer.open(place);
      const { name, text } = await save(developer, "Save as CSV");
      expect(`${name} ${text}`).toMatch(/^(requests\.csv request|deliveries\.csv delivery),/);
    }
    await developer.context.close();
    await page.getByLabel("Language").selectOption("de");
    // The choice loads the page again.
    await page.getByRole("heading", { level: 1, name: "Händler" }).waitFor();
    for (const [place, title] of [
      ["reports", "Berichte"],
      ["statements", "Auszüge"],
      ["treasury", "Bestände"],
      ["ledger", "Hauptbuch"],
    ] as const) {
      await viewer.open(place);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      if (place === "treasury" || place === "statements") await look(viewer, `${place}-de`);
    }
    expect(faults).toEqual([]);
  });
});
