import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import { type ConsolePage, openConsole } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import type { StartedService } from "../support/service/service.ts";

let service: StartedService;
let browser: Browser;
let url: string;
let ada: ConsolePage;
let clientId: string;
let apiKey: string;
const { look, faults } = makeLook();

/** Calls the merchants' API as the new merchant's server, and returns the status and the request id. */
async function listCountries() {
  const headers = { "x-client-id": clientId, "x-api-key": apiKey };
  const reply = await fetch(`${service.url}/v1/exchange/countries`, { headers });
  return { status: reply.status, requestId: reply.headers.get("x-request-id") ?? "" };
}

describe.runIf(hasBrowser)("merchants in the console", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
    const invited = { email: "ada@example.com", role: "administrator" };
    ada = await invitedPerson({ service, browser, url }, invited);
  });
  afterAll(async () => {
    if (browser) await closePages(browser);
    await service?.discard();
  });

  test("an administrator creates a merchant, and its key calls the API at once", async () => {
    const { page } = ada;
    await ada.open("merchants");
    await ada.button("Create a merchant").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Harbour Books");
    await dialog.getByLabel("Country").selectOption("PT");
    await dialog.getByLabel("Origins").fill("https://harbour.example");
    await look(ada, "merchant-form");
    await dialog.getByRole("button", { name: "Create a merchant" }).click();
    apiKey = await dialog.locator(".secret").innerText();
    expect(apiKey).toMatch(/^exk_dev_/);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { level: 1, name: "Harbour Books" }).waitFor();
    clientId = await page.getByText(/^client_dev_/).innerText();
    await page.getByText("https://harbour.example", { exact: true }).waitFor();
    expect((await listCountries()).status).toBe(200);
    await look(ada, "merchant");
    await ada.open("merchants?name=harbour");
    await page.getByRole("cell", { name: clientId }).waitFor();
    await look(ada, "merchants");
  });

  test("it is disabled with a reason, which the log keeps, and enabled again", async () => {
    const { page } = ada;
    await ada.signInAgain();
    await ada.open(`merchants/${clientId}`);
    await ada.button("Disable").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("its key was published");
    await dialog.getByRole("button", { name: "Disable" }).click();
    await ada.button("Enable").waitFor();
    await expect.poll(async () => (await listCountries()).status).toBe(401);
    await ada.button("Enable").click();
    await ada.button("Disable").waitFor();
    await expect.poll(async () => (await listCountries()).status).toBe(200);
    await page.getByRole("link", { name: "Audit log" }).last().click();
    await page.getByText("its key was published").waitFor();
  });

  test("its first developer, invited on its page, finds a call by the request id of its answer", async () => {
    const { page } = ada;
    await ada.signInAgain();
    await ada.open(`merchants/${clientId}`);
    await ada.button("Invite a person").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").fill("dora@harbour.example");
    await dialog.getByLabel("Name", { exact: true }).fill("Dora");
    await dialog.getByRole("checkbox", { name: /^Developer/ }).check();
    await dialog.getByRole("button", { name: "Invite a person" }).click();
    const dora = await openConsole(browser, url);
    await dora.accept(await dialog.locator(".secret").innerText());
    const { requestId } = await listCountries();
    await dora.open(`requests?requestId=${requestId}`);
    const cell = dora.page.getByRole("cell", { name: requestId });
    await expect
      .poll(async () => {
        await dora.button("Refresh").click();
        return cell.count();
      })
      .toBe(1);
    await dora.page.getByText("GET /v1/exchange/countries").waitFor();
    await dora.page.getByLabel("Outcome").selectOption("failed");
    await look(dora, "requests");
    await dora.page.getByLabel("Request id").fill("not-an-id");
    await dora.button("Find").click();
    await dora.page.getByRole("alert").waitFor();
  });

  test("of the webhooks that are sent again, those that were refused stay chosen", async () => {
    const dora = await invitedPerson(
      { service, browser, url },
      { email: "dan@harbour.example", role: "merchant_developer", clientId },
    );
    const { page } = dora;
    const endpoint = {
      ...{ id: "endpoint", url: "https://harbour.example/hook", eventTypes: ["OrderUpdated"] },
      ...{ enabled: true, disabledReason: null, disabledAt: null, failingSince: null },
      ...{ pausedUntil: null, previousSecretUntil: null, createdAt: 0 },
    };
    const delivery = (id: string, endpointId = "endpoint") => ({
      ...{ id, eventId: id, endpointId, eventType: "OrderUpdated", orderId: 7, test: false },
      ...{ status: "exhausted", attemptCount: 3, nextAttemptAt: null, createdAt: 0, attempts: [] },
    });
    const data = [delivery("one"), delivery("two"), delivery("three"), delivery("four", "removed")];
    const answer = (rows: unknown) => ({ json: { success: true, data: rows, nextCursor: null } });
    const sent: string[] = [];
    await page.route("**/v1/admin/webhook_endpoints", (route) => route.fulfill(answer([endpoint])));
    await page.route(/\/v1\/admin\/webhook_deliveries(\?|$)/, (route) =>
      route.fulfill(answer(data)),
    );
    await page.route("**/v1/admin/webhook_deliveries/*/replay", (route) => {
      const [, id = ""] = /webhook_deliveries\/(\w+)\//.exec(route.request().url()) ?? [];
      sent.push(id);
      if (id !== "two") return route.fulfill(answer(delivery(id)));
      return route.fulfill({ status: 400, json: { code: "INVALID_INPUT", message: "Removed." } });
    });
    await dora.open("webhooks");
    const box = (id: string) => page.getByLabel(`Choose OrderUpdated, ${id}`);
    expect(await box("four").count()).toBe(0);
    for (const id of ["one", "two", "three"]) await box(id).check();
    await dora.button("Send 3 again").click();
    await page.getByRole("alert").getByText("Removed.").waitFor();
    await dora.button("Send 1 again").waitFor();
    expect(sent).toEqual(["one", "two", "three"]);
    expect(await box("two").isChecked()).toBe(true);
    expect(await box("three").isChecked()).toBe(false);
  });

  test("a person names the filters of orders and finds them again after a reload", async () => {
    const { page } = ada;
    await ada.open(`orders?status=in_review&merchantId=${clientId}`);
    await page.getByLabel("From").fill("2026-01-31");
    await page.getByLabel("To", { exact: true }).fill("2026-02-01");
    await ada.button("Search").click();
    await expect.poll(() => page.url()).toContain("before=");
    const { searchParams } = new URL(page.url().replace("#/", ""));
    const span = Number(searchParams.get("before")) - Number(searchParams.get("from"));
    expect(span).toBe(2 * 86_400);
    await ada.button("Save this view").click();
    await page.getByRole("dialog").getByLabel("Name of the view").fill("Harbour, review");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await ada.open("orders");
    await page.reload();
    await page.getByRole("link", { name: "Harbour, review" }).click();
    await expect.poll(() => page.getByLabel("Status").inputValue()).toBe("in_review");
    expect(page.url()).toContain(clientId);
    expect(await page.getByLabel("From").inputValue()).toBe("2026-01-31");
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe("2026-02-01");
    await look(ada, "orders-view");
    await ada.button("Remove the view Harbour, review").click();
    await expect.poll(() => page.getByRole("link", { name: "Harbour, review" }).count()).toBe(0);
  });

  test("nothing is wrong or cut off on any screen, wide or as a phone, light or dark", () => {
    expect(faults).toEqual([]);
  });
});
