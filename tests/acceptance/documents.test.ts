import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFaults } from "../support/browser/axe.ts";
import {
  closePages,
  hasBrowser,
  LOOKS,
  openBrowser,
  recordRequests,
} from "../support/browser/browser.ts";

const service = inject("service");

describe.runIf(hasBrowser)("the documents of a running service", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => closePages(browser));

  test.each(["desktop-light", "phone-dark"] as const)(
    "are searched, copied from and read without a fault (%s)",
    async (look) => {
      const context = await browser.newContext({ ...LOOKS[look] });
      context.setDefaultTimeout(60_000);
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(String(error)));
      const requests = recordRequests(page);
      await page.goto(`${service.url}/docs`);
      expect(await axeFaults(page)).toEqual([]);

      await page.keyboard.press("/");
      await page.keyboard.type("refund address");
      await page.getByRole("link", { name: "Order states › The refund address" }).click();
      await page.waitForURL(/\/docs\/reference\/order-states#the-refund-address$/);

      await page.goto(`${service.url}/docs/guides/integrate-the-checkout`);
      const isPhone = look.startsWith("phone");
      expect(await page.locator("details.menu").getAttribute("open")).toBe(isPhone ? null : "");
      const copy = page.getByRole("button", { name: "Copy" }).first();
      // The button says it for two seconds only.
      await copy.evaluate((button) => {
        const observer = new MutationObserver(() => {
          button.setAttribute("data-said", button.textContent ?? "");
          observer.disconnect();
        });
        observer.observe(button, { childList: true });
      });
      await copy.click();
      await page.locator('button[data-said="Copied"]').waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      expect(copied).toContain("exchange merchant create");
      await page.getByText("Python", { exact: true }).first().click();
      await page.getByText("exchange.public_tokens.create(").waitFor();
      // The page closes the other samples in a later task.
      await page.getByText("curl -X POST").first().waitFor({ state: "hidden" });
      expect(await axeFaults(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - window.innerWidth";
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);

      await page.goto(`${service.url}/docs/reference/gallery`);
      const picture = page.getByRole("img", { name: "The card, on a phone" });
      await picture.scrollIntoViewIfNeeded();
      const width = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth);
      await expect.poll(width).toBe(360);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);

      await page.goto(`${service.url}/docs#error-QUOTE_EXPIRED`);
      await page.waitForURL(/\/docs\/api#error-QUOTE_EXPIRED$/);
      expect(requests.filter((request) => !request.includes(service.url))).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    },
  );
});
