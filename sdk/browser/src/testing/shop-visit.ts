import { type Browser, chromium, type FrameLocator, type Page } from "playwright-core";
import { expect } from "vitest";
import type { CheckoutEvent, CheckoutResult } from "../exchange-api.ts";
import { type FakeWorld, startFakeWorld } from "./fake-world.ts";

/** A customer on the shop's page. Values come from the page as JSON, so functions are lost. */
export interface Visit {
  readonly page: Page;
  /** The modal's frame. */
  readonly frame: FrameLocator;
  dialogs(): ReturnType<Page["getByRole"]>;
  read<Value>(expression: string): Promise<Value>;
  state(): Promise<string>;
  events(): Promise<readonly CheckoutEvent[]>;
  /** Presses the shop's button, and waits until the checkout in the modal is ready. */
  open(): Promise<void>;
  /** Presses the shop's button, and waits until the checkout in its window is ready. */
  openPopup(): Promise<Page>;
  /** The result of the last checkout, when it has closed. */
  closed(): Promise<CheckoutResult | undefined>;
}

export interface Visits {
  readonly world: FakeWorld;
  visit(query?: string, look?: Parameters<Browser["newContext"]>[0]): Promise<Visit>;
  /** After each test. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Disables the script's limit for the checkout's hello, which a busy browser may exceed. A clock that a test installs has
 * timers of its own.
 */
const HOLD_LOAD_LIMIT = `{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => (after === 15000 ? 0 : start(callback, after, ...values));
}`;

/** Chromium sends a press to the page behind a frame that it has not painted. It does not paint a frame out of sight. */
const PAINTED = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
  setTimeout(resolve, 500);
})`;

export async function startVisits(): Promise<Visits> {
  const world = await startFakeWorld();
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--site-per-process"],
    // Popups are blocked, as for any customer.
    ignoreDefaultArgs: ["--disable-popup-blocking"],
  });
  return {
    world,
    async visit(query = "", look = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look });
      context.setDefaultTimeout(60_000);
      await context.addInitScript(HOLD_LOAD_LIMIT);
      const page = await context.newPage();
      await page.goto(`${world.shopUrl}/${query}`);
      return makeVisit(page);
    },
    leave: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      world.close();
    },
  };
}

function makeVisit(page: Page): Visit {
  const read = <Value>(expression: string) =>
    page.evaluate<Value>(`JSON.parse(JSON.stringify(${expression} ?? null))`);
  const state = () => read<string>("exchange.state");
  const press = () => page.getByRole("button", { name: "Pay" }).click();
  const frame = page.frameLocator("[data-exchange] iframe");
  return {
    page,
    frame,
    dialogs: () => page.getByRole("dialog"),
    read,
    state,
    events: () => read<CheckoutEvent[]>("events"),
    async open() {
      await press();
      await expect.poll(state).toBe("open");
      await frame.locator("body").evaluate(PAINTED);
    },
    async openPopup() {
      const [popup] = await Promise.all([page.waitForEvent("popup"), press()]);
      await expect.poll(state).toBe("open");
      return popup;
    },
    async closed() {
      const results = () => read<CheckoutResult[]>("results");
      await expect.poll(async () => (await results()).length).toBeGreaterThan(0);
      return (await results()).at(-1);
    },
  };
}
