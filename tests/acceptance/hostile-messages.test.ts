import fc from "fast-check";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import { CheckoutPage } from "../support/browser/checkout-page.ts";
import { type ShopVisits, startShopVisits } from "../support/browser/shop-visits.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { startSession } from "../support/orders/purchase.ts";

const service = inject("service");
const OBJECTS = 1_000;
const FLOOD = 20_000;
const SOON_MS = 300;

declare global {
  interface Window {
    /** The script's end of the port to the checkout, as `keepPorts` caught it. */
    readonly caught: MessagePort[];
  }
}

let visits: ShopVisits;

describe.runIf(hasBrowser)("an open popup", () => {
  beforeAll(async () => {
    visits = await startShopVisits(service);
  });
  afterEach(() => visits.closePages());
  afterAll(() => visits.close());

  interface Opened {
    readonly page: Page;
    readonly checkout: CheckoutPage;
    readonly frame: Frame;
    /** Fails when anything but the customer's own token was used, or the popup no longer works. */
    unharmed(): Promise<void>;
  }

  async function open(): Promise<Opened> {
    const used = new Set<string>();
    const { page, token } = await visits.visit({
      prepare: async (context) => {
        await context.addInitScript(keepPorts);
        recordTokens(context, used);
      },
    });
    await page.getByRole("button", { name: "Buy" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.see("amount");
    await checkout.seePrice();
    const frame = page.frames().find((each) => each.url().startsWith(`${service.url}/checkout`));
    if (!frame) throw new Error("the page has no checkout");
    const unharmed = async (): Promise<void> => {
      await page.waitForTimeout(SOON_MS);
      const { state, results, events } = await page.evaluate(() => ({
        state: window.exchange.state,
        results: window.results,
        events: window.events,
      }));
      expect({ state, results }).toEqual({ state: "open", results: [] });
      expect(events).not.toContain("orderPlaced");
      await checkout.continue();
      await checkout.see("method");
      expect([...used]).toEqual([`Bearer ${token}`]);
    };
    return { page, checkout, frame, unharmed };
  }

  test("is not moved by what the shop's page makes up", async () => {
    const { page, unharmed } = await open();
    await page.evaluate((origin) => {
      const root = document.querySelector("[data-exchange]")?.shadowRoot;
      const frame = root?.querySelector("iframe")?.contentWindow;
      const hello = window.posted[0]?.data as object;
      const orders = [
        { type: "close", reason: "user" },
        { type: "ready", title: "Forged", locale: "en" },
        { type: "event", name: "orderPlaced", snapshot: { orderId: 1 }, sequence: 1 },
      ];
      for (const data of [hello, { ...hello, load: "forged" }, ...orders]) {
        window.postMessage(data, "*");
        const forged = { data, origin, source: frame ?? null };
        window.dispatchEvent(new MessageEvent("message", forged));
      }
    }, service.url);
    await unharmed();
  });

  test("takes no second welcome and no second port, with another token on it", async () => {
    const { page, unharmed } = await open();
    const stolen = await startSession(service, visits.merchant);
    const answers = await page.evaluate(async (token) => {
      const root = document.querySelector("[data-exchange]")?.shadowRoot;
      const frame = root?.querySelector("iframe")?.contentWindow;
      const hello = window.posted[0]?.data as object;
      const heard: unknown[] = [];
      for (const change of [{}, { load: "another" }, { instance: "another-instance" }]) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => heard.push(data);
        const welcome = { ...hello, type: "welcome", version: 1, ...change };
        frame?.postMessage(welcome, "*", [port2]);
        port1.postMessage({ type: "init", token, options: {} });
        port1.postMessage({ type: "close-request", by: "host" });
      }
      // The port in use takes one token, once.
      window.caught[0]?.postMessage({ type: "init", token, options: {} });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return heard;
    }, stolen.token);
    expect(answers).toEqual([]);
    await unharmed();
  });

  test.each(["a frame", "a window"])("is not spoken to by %s of another site", async (kind) => {
    const { page, unharmed } = await open();
    const address = visits.foreign.addressFor(visits.merchant.clientId, "none");
    const stranger = await (kind === "a frame"
      ? addFrame(page, address)
      : openWindow(page, address));
    const firstMessage = await page.evaluate(() => window.posted[0]?.data as object);
    await stranger.evaluate((hello) => {
      const host = window.opener ?? window.parent;
      for (const change of [{}, { load: "stranger" }, { instance: "another-instance" }]) {
        host.postMessage({ ...hello, ...change }, "*");
      }
      host.postMessage({ type: "close", reason: "user" }, "*");
      host.postMessage({ ...hello, type: "welcome", version: 1 }, "*", [
        new MessageChannel().port2,
      ]);
      // A frame in a shadow tree is not among those that a page shows to others.
      for (let index = 0; index < host.length; index += 1) {
        if (host[index] !== window) host[index].postMessage({ ...hello, type: "welcome" }, "*");
      }
    }, firstMessage);
    await unharmed();
    expect(await stranger.evaluate(() => window.posted)).toEqual([]);
  });

  test(`ignores ${OBJECTS} random objects on each window and on the port`, async () => {
    const { page, unharmed } = await open();
    const objects: readonly unknown[] = fc.sample(
      fc.oneof(fc.jsonValue(), almostMessages),
      OBJECTS,
    );
    await page.evaluate((values) => {
      const root = document.querySelector("[data-exchange]")?.shadowRoot;
      const frame = root?.querySelector("iframe")?.contentWindow;
      for (const value of values) {
        window.postMessage(value, "*");
        frame?.postMessage(value, "*");
        window.caught[0]?.postMessage(value);
      }
    }, objects);
    await unharmed();
  });

  test(`works on after ${FLOOD} messages to each window`, async () => {
    const { page, unharmed } = await open();
    await page.evaluate((count) => {
      const root = document.querySelector("[data-exchange]")?.shadowRoot;
      const frame = root?.querySelector("iframe")?.contentWindow;
      const hello = window.posted[0]?.data;
      for (let sent = 0; sent < count; sent += 1) {
        window.postMessage(hello, "*");
        frame?.postMessage(hello, "*");
      }
    }, FLOOD);
    await unharmed();
  });

  test("is not opened by the token of another merchant", async () => {
    const other = await createMerchant(service, visits.foreign.origin);
    const { token } = await startSession(service, other);
    const page = await visits.browser.newPage();
    page.setDefaultTimeout(60_000);
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/v1/checkout/")) answers.push(response.status());
    });
    await page.goto(visits.shop.addressFor(visits.merchant.clientId, token));
    await page.getByRole("button", { name: "Buy" }).click();
    await expect.poll(() => page.evaluate(() => window.events)).toContain("error");
    await expect.poll(() => answers).toEqual([401]);
  });
});

/** Objects that look like messages of the protocol, but for one thing. */
const almostMessages = fc.record(
  {
    protocol: fc.constantFrom("exchange.v1", "exchange.v2"),
    type: fc.constantFrom("hello", "welcome", "init", "ready", "close", "event", "__proto__"),
    token: fc.jsonValue(),
    options: fc.jsonValue(),
    reason: fc.constantFrom("user", "completed", ""),
    by: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** Runs in every page before its scripts. */
function keepPorts(): void {
  const Channel = window.MessageChannel;
  const caught: MessagePort[] = [];
  Object.assign(window, {
    caught,
    MessageChannel: class extends Channel {
      constructor() {
        super();
        caught.push(this.port1);
      }
    },
  });
}

/** Adds every authorization that this browser sends. */
function recordTokens(context: BrowserContext, used: Set<string>): void {
  context.on("request", (request) => {
    const { authorization } = request.headers();
    if (authorization !== undefined) used.add(authorization);
  });
}

async function addFrame(page: Page, address: string): Promise<Frame> {
  const attached = page.waitForEvent("frameattached");
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement("iframe"), { src }));
  }, address);
  const frame = await attached;
  await frame.waitForURL(address);
  return frame;
}

async function openWindow(page: Page, address: string): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await page.evaluate((url) => void window.open(url), address);
  const popup = await opened;
  await popup.waitForLoadState();
  return popup;
}
