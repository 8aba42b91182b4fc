import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import {
  invitedPerson,
  type StartedConsole,
  startConsole,
} from "../support/browser/started-console.ts";

let started: StartedConsole;
let operator: ConsolePage;

describe.runIf(hasBrowser)("forms of the console", () => {
  beforeAll(async () => {
    started = await startConsole();
    const [email, role] = ["olga@example.com", "administrator"];
    operator = await invitedPerson(started, { email, role });
  });
  afterAll(async () => {
    if (started) await closePages(started.browser);
    await started?.service.discard();
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
});
