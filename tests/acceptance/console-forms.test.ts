import { afterAll, beforeAll, describe, test } from "vitest";
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
});
