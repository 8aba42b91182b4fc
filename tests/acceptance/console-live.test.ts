import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../support/browser/browser.ts";
import type { ConsolePage } from "../support/browser/console-page.ts";
import { makeLook } from "../support/browser/look.ts";
import { invitedPerson, startConsole } from "../support/browser/started-console.ts";
import { createMerchant } from "../support/orders/merchant.ts";
import { buyChoice, startOrder } from "../support/orders/purchase.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import type { StartedService } from "../support/service/service.ts";

const STREAM = "**/v1/admin/changes";
const PAUSED = "Updates are paused. This screen is read again every minute.";
/** A screen reads at its minute, and once more when its stream of changes opens again. */
const LATEST_READ_MS = 3_000;
const HANGS = { timeout: 60_000 };

let service: StartedService;
let browser: Browser;
let url: string;
const { look, faults } = makeLook();

/** Invites a person whose console never reads a screen again by itself: only the stream does. */
const personOf = (email: string, role: string): Promise<ConsolePage> =>
  invite(email, role, ({ context }) => context.addInitScript("window.setInterval = () => 0"));

const invite = (
  email: string,
  role: string,
  prepare: (person: ConsolePage) => Promise<unknown>,
): Promise<ConsolePage> => invitedPerson({ service, browser, url }, { email, role }, prepare);

async function heldOrder(): Promise<number> {
  const merchant = await createMerchant(service);
  const { orderId } = await startOrder(service, merchant, await buyChoice(service, merchant));
  await exchangeHere(service, ...["orders", "hold", String(orderId), "--reason", "limit_exceeded"]);
  return orderId;
}

/** Changes what the page thinks of its tab, as a browser does when another tab is chosen. */
const showTab = ({ page }: ConsolePage, state: "visible" | "hidden") =>
  page.evaluate((now) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: now });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

describe.runIf(hasBrowser)("screens of the console follow changes", () => {
  beforeAll(async () => {
    ({ service, browser, url } = await startConsole());
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  test("an order that enters review is in the queue of another tab, and so is the person who takes it", async () => {
    const ada = await personOf("ada@example.com", "compliance");
    const bob = await personOf("bob@example.com", "support");
    await bob.open("reviews");
    await bob.page.getByText("No order in review matches").waitFor();
    const home = await bob.context.newPage();
    await home.goto(`${url}/#/home`);
    await home.getByText("Nothing waits for a person.").waitFor();

    const orderId = await heldOrder();
    await bob.button(`Take: ${orderId}`).waitFor();
    await home.getByRole("link", { name: /in review: limit exceeded/ }).waitFor();
    await ada.open(`orders/${orderId}`);
    await ada.button("Take").click();
    await bob.page.getByRole("cell", { name: "ada@example.com" }).waitFor();
    await bob.button(`Free: ${orderId}`).click();
    await ada.button("Take").waitFor();
  });

  test("a screen that nobody touches stops reading itself, so that its session ends", async () => {
    const ida = await invite("ida@example.com", "compliance", ({ page }) => page.clock.install());
    const { page } = ida;
    await ida.open("reviews");
    await page.locator("main h1").waitFor();
    let reads = 0;
    page.on("request", (request) => {
      if (/\/v1\/admin\/(?!changes$)/.test(request.url())) reads += 1;
    });
    const newReads = async (): Promise<number> => {
      const before = reads;
      await sleep(LATEST_READ_MS);
      await page.evaluate("0");
      return reads - before;
    };
    await page.mouse.move(5, 5);
    const streamAgain = page.waitForResponse(STREAM, HANGS);
    await page.clock.fastForward("02:00");
    await streamAgain;
    await expect.poll(() => reads).toBeGreaterThan(0);
    await expect.poll(newReads).toBe(0);
    reads = 0;
    await page.clock.fastForward("11:00");
    await page.clock.fastForward("05:00");
    await newReads();
    expect(reads).toBe(0);
    await page.keyboard.press("Shift");
    await page.clock.fastForward("02:00");
    await expect.poll(() => reads).toBeGreaterThan(0);
  });

  test("a screen says that updates are paused only while it misses them, and a hidden tab has no stream", async () => {
    const eve = await personOf("eve@example.com", "compliance");
    const { page } = eve;
    await page.route(STREAM, (route) => route.fulfill({ status: 503, body: "" }));
    await eve.open("reviews");
    await page.reload();
    await page.getByText(PAUSED).waitFor();
    await look(eve, "reviews-paused");
    await eve.open("account");
    await page.getByText(PAUSED).waitFor({ state: "detached" });
    await eve.open("reviews");
    await page.getByText(PAUSED).waitFor();

    await page.unroute(STREAM);
    await showTab(eve, "visible");
    await page.getByText(PAUSED).waitFor({ state: "detached" });
    const closed = page.waitForEvent("requestfailed", (request) =>
      request.url().endsWith("/v1/admin/changes"),
    );
    await showTab(eve, "hidden");
    await closed;
    const orderId = await heldOrder();
    await showTab(eve, "visible");
    await eve.button(`Take: ${orderId}`).waitFor();
    expect(faults).toEqual([]);
  });
});
