import type { PriceChangeData } from "@exchange/contract/admin";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import {
  invitedPerson,
  type StartedConsole,
  startConsole,
} from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";

const { look, faults } = makeLook();

let started: StartedConsole;
let operator: ConsolePage;
let owner: ConsolePage;

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate("document.activeElement?.textContent");

/** Collects the changes that the page sends to an address. The test answers them. */
async function heldChanges(page: Page, address: string) {
  const held: Route[] = [];
  await page.route(address, (route) =>
    route.request().method() === "GET" ? route.continue() : void held.push(route),
  );
  return held;
}

/** Sends a change as the page does. */
const post = <Data>(page: Page, path: string, body: object): Promise<Data> =>
  page.evaluate(
    async ([address, text]) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(address, { method: "POST", headers, body: text });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()).data;
    },
    [`/v1/admin${path}`, JSON.stringify(body)] as const,
  );

describe.runIf(hasBrowser)("forms of the console", () => {
  beforeAll(async () => {
    started = await startConsole();
    const [email, role] = ["olga@example.com", "administrator"];
    operator = await invitedPerson(started, { email, role });
    const { clientId } = await createMerchant(started.service);
    owner = await invitedPerson(started, {
      ...{ email: "max@example.com", role: "merchant_owner", clientId },
    });
  });
  afterAll(async () => {
    if (started) await closePages(started.browser);
    await started?.service.discard();
  });

  test("while a call runs the focus stays at its button, and another press sends nothing", async () => {
    const { page } = operator;
    await operator.open("people");
    await operator.button("Create a service account").press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("nightly report");
    const held = await heldChanges(page, "**/v1/admin/service_accounts");
    const submit = dialog.locator("[type=submit]");
    await submit.press("Enter");
    await expect.poll(() => held.length).toBe(1);
    expect(await submit.isDisabled()).toBe(true);
    expect(await focused(page)).toBe("Create a service account");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Name").press("Enter");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Cancel" }).press("Enter");
    expect(await dialog.isVisible()).toBe(true);
    await held[0]?.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "" } });
    await dialog.getByRole("alert").waitFor();
    expect(held).toHaveLength(1);
    expect(await dialog.getByLabel("Name").inputValue()).toBe("nightly report");
    await page.unrouteAll({ behavior: "wait" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Create a service account");
  });

  test("a form whose subject does not exist says which one, and a list of another merchant too", async () => {
    const { page } = operator;
    await operator.open("catalogue");
    await operator.button("Stop a pair or a merchant").click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("[name=subject]").fill("euro to bitcoin");
    await dialog.getByLabel("Reason").fill("the price is wrong");
    await dialog.locator("[type=submit]").click();
    await dialog.getByText('There is no pair "euro to bitcoin": name the references').waitFor();
    await page.keyboard.press("Escape");
    await operator.open("statements?merchantId=Corner+Coins");
    await page.getByText("There is no merchant Corner Coins.").waitFor();
  });

  test("a person whose session ended meanwhile reads so at the sign-in, and one who signed out does not", async () => {
    const { page, context } = operator;
    await operator.open("people");
    const cookies = await context.cookies();
    await context.clearCookies();
    await operator.open("orders");
    const ended = page.getByText("Your session has ended. Sign in again.");
    await ended.waitFor();
    await context.addCookies(cookies);
    await operator.button("Sign in with a passkey").click();
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    expect(await ended.count()).toBe(0);
    await operator.button("Sign out").click();
    await operator.button("Sign in with a passkey").waitFor();
    expect(await ended.count()).toBe(0);
    await page.reload();
    await operator.button("Sign in with a passkey").click();
    await operator.button("Sign out").waitFor();
  });

  test("a sign-out that did not reach the service leaves the person signed in, and says so", async () => {
    const { page } = operator;
    await operator.open("orders");
    await page.route("**/v1/admin/me/sign_out", (route) => route.abort());
    await operator.button("Sign out").click();
    const notice = page.getByRole("banner").getByRole("alert");
    await notice.waitFor();
    expect(await notice.textContent()).toContain("The service did not answer.");
    expect(await operator.button("Sign out").isVisible()).toBe(true);
    await page.unrouteAll({ behavior: "wait" });
    await operator.signInAgain();
  });

  test("a reason that is being written stays, although a colleague has decided meanwhile, and the form says so", async () => {
    const { page } = operator;
    const figures = { spreadBasisPoints: 50, feeBasisPoints: 10, fixedFeeEuro: "1" };
    const rule = { reference: "spring", operation: "buy", currency: "ltc", enabled: true };
    const proposal = { ...rule, ...figures, minEuro: "10", maxEuro: "500", reason: "spring sale" };
    await operator.signInAgain();
    const { changeId } = await post<PriceChangeData>(page, "/prices/changes", proposal);
    await operator.open("prices?which=proposed");
    await operator.button("Reject").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("It is too low.");
    const [email, role] = ["otto@example.com", "administrator"];
    const colleague = await invitedPerson(started, { email, role });
    await post(colleague.page, `/prices/changes/${changeId}/approve`, {});
    await page.getByText("No change waits for a decision.").waitFor();
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("It is too low.");
    await dialog.locator("[type=submit]").click();
    await dialog.getByRole("alert").filter({ hasText: "otto@example.com" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await colleague.context.close();
  });

  test("a merchant is found by Enter after its name, and a name of several is left as it is", async () => {
    const { page } = operator;
    const names = ["Corner Coins of Bremen", "Blue", "Blue of Bremen"];
    for (const name of names) await post(page, "/merchants", { name, countryCode: "DE" });
    const clientId = /merchantId=client_dev_\w{16}$/;
    for (const [text, offered, address] of [
      ["coins of bre", 1, clientId],
      ["Blue", 2, clientId],
      ["of Bremen", 2, /merchantId=of\+Bremen$/],
    ] as const) {
      await operator.open("orders");
      const field = page.getByLabel("Client id of the merchant");
      await field.fill(text);
      await expect.poll(() => page.locator("datalist option").count()).toBe(offered);
      await field.press("Enter");
      await page.waitForURL(address);
    }
  });

  test("an amount that is read as another than its digits look is shown before it is sent", async () => {
    const { page } = operator;
    await operator.speak("de");
    await operator.open("prices");
    await page.getByRole("link", { name: "Neue Regel" }).click();
    const field = page.getByLabel("Maximum");
    const shown = page.locator(".choose", { has: field }).locator("output");
    for (const [text, read] of [
      ["1.234", "= 1.234,00"],
      ["1.5", "= 1,50"],
      ["1,5", ""],
      ["2,50", ""],
      ["1.234,00", ""],
      ["1500", ""],
      ["zwölf", ""],
    ] as const) {
      await field.fill(text);
      await expect.poll(() => shown.innerText(), { message: text }).toBe(read);
    }
    await field.fill("10.000");
    await look(operator, "amount-read");
    await operator.speak("en");
  });

  test("Install writes the amount as the person's language reads it, and says what it cannot read", async () => {
    const { page } = owner;
    await owner.speak("de");
    await owner.open("install");
    const field = page.getByLabel("Betrag");
    await field.fill("1.234,5");
    await field.press("Tab");
    await page.getByText('base-amount="1234.5"').waitFor();
    expect(page.url()).toContain("baseAmount=1234.5");
    await expect.poll(() => field.inputValue()).toBe("1234,5");
    await field.fill("zwölf");
    await field.press("Tab");
    await page.getByText("Schreiben Sie einen Betrag, etwa 1500 oder 1500,50.").waitFor();
    expect(page.url()).toContain("baseAmount=1234.5");
    await look(owner, "install-amount");
    await owner.speak("en");
  });

  test("Enter in a field that changes the address leaves the focus in it, and Back brings its text back", async () => {
    const { page } = owner;
    for (const [place, name, text, shown] of [
      ["install", "baseAmount", "1,234.50", "1234.5"],
      ["install", "accent", "#aa0000", "#aa0000"],
      ["orders", "from", "2026-11-01", "2026-11-01"],
    ] as const) {
      await owner.open(place);
      const field = page.locator(`main [name=${name}]`);
      const before = await field.inputValue();
      await field.fill(text);
      await field.press("Enter");
      await page.waitForURL((url) => url.hash.includes("="));
      await expect.poll(() => field.inputValue()).toBe(shown);
      expect(await page.evaluate("document.activeElement?.name"), place).toBe(name);
      await page.goBack();
      await expect.poll(() => field.inputValue()).toBe(before);
    }
  });

  test("an origin that is refused stays in its field", async () => {
    const { page } = owner;
    await owner.open("keys");
    const field = page.locator("[name=origin]");
    await field.fill("shop.example");
    await field.press("Enter");
    await page.getByText('"shop.example" is not an origin.').waitFor();
    expect(await field.inputValue()).toBe("shop.example");
    await field.fill("https://shop.example");
    await field.press("Enter");
    await page.getByRole("listitem").getByText("https://shop.example").waitFor();
    await expect.poll(() => field.inputValue()).toBe("");
  });

  test("in Arabic the body of a call runs from left to right", async () => {
    const { page } = owner;
    await owner.speak("ar");
    await owner.open("install");
    const body = page.locator("textarea.source");
    expect(await body.evaluate((area) => getComputedStyle(area).direction)).toBe("ltr");
    await look(owner, "install-ar");
    await owner.speak("en");
  });

  test("a window of 320 pixels with text of twice the size shows each line whole", async () => {
    const { page } = operator;
    await page.setViewportSize({ width: 320, height: 800 });
    const root = "document.documentElement";
    for (const place of ["orders", "payouts", "treasury", "people", "prices", "merchants"]) {
      await operator.open(place);
      await page.evaluate(`${root}.style.fontSize = "200%"`);
      const isCut = `${root}.scrollWidth > ${root}.clientWidth`;
      expect(await page.evaluate(isCut), place).toBe(false);
    }
  });

  test("no screen that was looked at has a fault", () => {
    expect(faults).toEqual([]);
  });
});
