import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import type { ShopPage } from "../support/browser/shop-page.ts";
import { type ShopVisits, startShopVisits } from "../support/browser/shop-visits.ts";
import { startSession } from "../support/orders/purchase.ts";

const service = inject("service");
const INSTANCE = "0123456789abcdef0123456789abcdef";
const CHALLENGED = "4000000000002503";
/** Longer than the checkout waits between two hellos. */
const TIME_TO_SPEAK_MS = 700;

let visits: ShopVisits;

describe.runIf(hasBrowser)("a page that is not the merchant's", () => {
  beforeAll(async () => {
    visits = await startShopVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  interface Visit {
    readonly page: Page;
    /** Calls of the checkout's API from anywhere in this browser: each would carry a token. */
    readonly calls: readonly string[];
  }

  async function visit(site: ShopPage): Promise<Visit> {
    const calls: string[] = [];
    const prepare = (context: BrowserContext): void => {
      context.on("request", (request) => {
        if (request.url().startsWith(`${service.url}/v1/`) && request.resourceType() !== "script") {
          calls.push(request.url());
        }
      });
    };
    const { page } = await visits.visit({ site, prepare });
    return { page, calls };
  }

  const checkoutAddress = (
    fragment: string,
    mode = "modal",
    { clientId } = visits.merchant,
  ): string => `${service.url}/checkout?clientId=${clientId}&mode=${mode}#${fragment}`;
  const fragmentFor = (origin: string): string => `i=${INSTANCE}&o=${encodeURIComponent(origin)}`;

  const addFrames = (page: Page, addresses: readonly string[]): Promise<void> =>
    page.evaluate((sources) => {
      const frames = sources.map((src) => Object.assign(document.createElement("iframe"), { src }));
      document.body.append(...frames);
    }, addresses);

  const heardBy = (page: Page) => page.evaluate(() => window.posted);

  test("gets no checkout with the merchant's own script, and no token leaves it", async () => {
    const { page, calls } = await visit(visits.foreign);
    const refused = page.waitForEvent("console", (message) =>
      /is not an allowed origin/.test(message.text()),
    );
    await page.getByRole("button", { name: "Buy" }).click();
    await refused;
    await page.waitForTimeout(TIME_TO_SPEAK_MS);
    // The frame that refuses says so to the page that opened it. It has no token, and asks for none.
    expect(JSON.stringify(await heardBy(page))).not.toMatch(/token/i);
    expect(calls).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => window.events))
      .toEqual(["open", "error", "screenChanged"]);
    await page.evaluate(() => window.exchange.close());
    await expect
      .poll(() => page.evaluate(() => [window.exchange.state, window.events]))
      .toEqual(["idle", ["open", "error", "screenChanged", "close"]]);
  });

  test("gets no checkout in a frame, with any address of the frame", async () => {
    const { page, calls } = await visit(visits.foreign);
    const fragments = [fragmentFor(visits.foreign.origin), fragmentFor(visits.shop.origin), ""];
    const addresses = [
      ...["modal", "popup", "redirect", ""].flatMap((mode) =>
        fragments.map((fragment) => checkoutAddress(fragment, mode)),
      ),
      `${service.url}/checkout#${fragments[0]}`,
      `${service.url}/checkout/?clientId=client_dev_AAAAAAAAAAAAAAAA#${fragments[0]}`,
    ];
    const refusals: string[] = [];
    page.on("console", (message) => {
      if (/frame-ancestors/.test(message.text())) refusals.push(message.text());
    });
    await addFrames(page, addresses);
    await expect.poll(() => refusals.length).toBe(addresses.length);
    await page.waitForTimeout(TIME_TO_SPEAK_MS);
    expect(await heardBy(page)).toEqual([]);
    expect(calls).toEqual([]);
  });

  test("gets no checkout by framing the shop's page, which may show it", async () => {
    const { page, calls } = await visit(visits.foreign);
    const { token } = await startSession(service, visits.merchant);
    await addFrames(page, [visits.shop.addressFor(visits.merchant.clientId, token)]);
    const refused = page.waitForEvent("console", (message) =>
      /frame-ancestors/.test(message.text()),
    );
    await page.frameLocator("iframe").getByRole("button", { name: "Buy" }).click();
    await refused;
    await page.waitForTimeout(TIME_TO_SPEAK_MS);
    expect(await page.frames()[1]?.evaluate(() => window.posted)).toEqual([]);
    expect(calls).toEqual([]);
  });

  test("gets no message from the checkout in a window, with any address of the window", async () => {
    const { page, calls } = await visit(visits.foreign);
    for (const mode of ["popup", "modal", "redirect"]) {
      for (const origin of [visits.foreign.origin, visits.shop.origin]) {
        const opened = page.waitForEvent("popup");
        const address = checkoutAddress(fragmentFor(origin), mode);
        await page.evaluate((url) => void window.open(url), address);
        const popup = await opened;
        await takeAddress(popup.mainFrame());
        await popup.waitForTimeout(TIME_TO_SPEAK_MS);
        await popup.close();
      }
    }
    expect(await heardBy(page)).toEqual([]);
    expect(calls).toEqual([]);
  });

  test("is not spoken to when a frame's fragment names it, or no site at all", async () => {
    const { page } = await visit(visits.shop);
    const { origin } = visits.shop;
    const port = new URL(origin).port;
    await addFrames(page, [
      ...[
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "blob:null/0",
        "file:///",
        "null",
        "*",
        "",
        "/",
        visits.foreign.origin,
        `http://localhost:${port}`,
        `${origin}/`,
        `${origin}#`,
        `http://shop@127.0.0.1:${port}`,
        `HTTP://127.0.0.1:${port}`,
        `http://127.1:${port}`,
        `http://１２７.0.0.1:${port}`,
        `http://127。0。0。1:${port}`,
      ].map((each) => checkoutAddress(fragmentFor(each))),
      checkoutAddress(`o=${encodeURIComponent(origin)}`),
      checkoutAddress(`i=${INSTANCE}`),
      checkoutAddress(`i=<script>alert(1)</script>&o=${encodeURIComponent(origin)}`),
      checkoutAddress(`i=${"0".repeat(100_000)}&o=${encodeURIComponent(origin)}`),
    ]);
    await Promise.all(page.frames().slice(1).map(takeAddress));
    await page.waitForTimeout(TIME_TO_SPEAK_MS);
    expect(await heardBy(page)).toEqual([]);
    await page.getByRole("button", { name: "Buy" }).click();
    await new CheckoutPage(page).see("amount");
    expect((await heardBy(page)).length).toBeGreaterThan(0);
  });

  describe("while the bank asks the customer", () => {
    async function visitBank(): Promise<{ page: Page; checkout: CheckoutPage; bank: Frame }> {
      const { page } = await visit(visits.shop);
      await page.getByRole("button", { name: "Buy" }).click();
      const checkout = new CheckoutPage(page);
      await checkout.goTo("review", CHALLENGED);
      await checkout.pay();
      await checkout.see("challenge");
      await checkout.frame.frameLocator("iframe").getByRole("button").first().waitFor();
      const bank = page.frames().find((frame) => frame.url().includes("/challenges/"));
      if (!bank) throw new Error("the bank asks nothing");
      return { page, checkout, bank };
    }

    test("cannot take the place of the bank's page, though the shop sends its frame there", async () => {
      const { page } = await visitBank();
      const blocked = page.waitForEvent("console", (message) => /frame-src/.test(message.text()));
      await page.evaluate(
        (address) => {
          const root = document.querySelector("[data-exchange]")?.shadowRoot;
          const frames = root?.querySelector("iframe")?.contentWindow?.frames;
          if (frames?.[0]) frames[0].location.href = address;
        },
        visits.foreign.addressFor(visits.merchant.clientId, "none"),
      );
      await blocked;
      expect(
        page.frames().filter((frame) => frame.url().startsWith(visits.foreign.origin)),
      ).toEqual([]);
    });

    test("can neither show the bank's page nor answer for the customer", async () => {
      const { page, checkout, bank } = await visitBank();
      const address = bank.url();
      const stranger = await page.context().newPage();
      await stranger.goto(visits.foreign.addressFor(visits.merchant.clientId, "none"));
      const statuses: number[] = [];
      stranger.on("response", (response) => {
        if (response.url().startsWith(address)) statuses.push(response.status());
      });
      await addFrames(stranger, [address]);
      await stranger.evaluate((url) => {
        for (const answer of ["confirm", "cancel"]) {
          const target = Object.assign(document.createElement("iframe"), { name: answer });
          const action = `${url}/${answer}`;
          const form = Object.assign(document.createElement("form"), { method: "post", action });
          form.target = answer;
          document.body.append(target, form);
          form.submit();
        }
      }, address);
      await expect.poll(() => statuses).toEqual([403, 403, 403]);
      expect(await stranger.frames()[1]?.getByRole("button").count()).toBe(0);
      await stranger.close();
      await bank.getByRole("button", { name: /confirm/i }).click();
      await checkout.see("done");
    });
  });
});

/** The checkout has run: it takes its fragment away at once, and speaks from then on. */
async function takeAddress(frame: Frame): Promise<void> {
  await frame.waitForFunction(() => location.pathname === "/checkout" && location.hash === "");
}
