import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, openBrowser } from "../support/browser/browser.ts";
import { openScene, SCENE_NAMES } from "./open.ts";

test("every scene has a name of its own", () => {
  expect(new Set(SCENE_NAMES).size).toBe(SCENE_NAMES.length);
});

test("a name without a scene opens nothing", async () => {
  expect(await openScene("no-such-scene")).toBeUndefined();
});

describe.runIf(hasBrowser)("a scene opened by hand", () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => closePages(browser));

  test("shows its screen in a browser with a clock of its own", async () => {
    const opened = await openScene("amount");
    if (opened === undefined) throw new Error("The scene “amount” is missing.");
    const page = await browser.newPage();
    await page.goto(opened.address);
    await page.locator(".price-line[aria-busy=false] .price").waitFor();
    expect(await page.evaluate(() => new Date().toISOString())).toBe("2026-03-02T10:15:00.000Z");
    await page.close();
    opened.close();
  });
});
