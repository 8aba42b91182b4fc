import { type Browser, chromium, type FrameLocator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { CheckoutEvent, CheckoutResult } from "./exchange-api.ts";
import { type FakeWorld, startFakeWorld } from "./testing/fake-world.ts";

let browser: Browser;
let world: FakeWorld;
let page: Page;

beforeAll(async () => {
  world = await startFakeWorld();
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});
afterEach(() => page.context().close());
afterAll(async () => {
  await browser.close();
  world.close();
});

async function visit(query = "", viewport = { width: 1280, height: 900 }): Promise<Page> {
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(5_000);
  page = await context.newPage();
  await page.goto(`${world.shopUrl}/${query}`);
  return page;
}

const frame = (): FrameLocator => page.frameLocator("[data-exchange] iframe");
const dialogs = () => page.getByRole("dialog");
const results = () => page.evaluate<CheckoutResult[]>("JSON.parse(JSON.stringify(results))");
const events = () => page.evaluate<CheckoutEvent[]>("JSON.parse(JSON.stringify(events))");
const state = () => page.evaluate<string>("exchange.state");

async function openCheckout(): Promise<void> {
  await page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(state).toBe("open");
}

async function closed(): Promise<CheckoutResult | undefined> {
  await expect.poll(async () => (await results()).length).toBeGreaterThan(0);
  return (await results()).at(-1);
}

test("the token reaches the checkout over the port and is in no address", async () => {
  await visit();
  await openCheckout();
  const log = await frame().locator("#log").textContent();
  expect(log?.split("\n")[1]).toBe('{"type":"init","token":"secret.public.token","options":{}}');
  expect(log?.split("\n")[0]).toMatch(
    /checkout\?clientId=client_dev_1&mode=modal#i=\d{16,40}&o=http%3A%2F%2Flocalhost%3A\d+"/,
  );
  for (const { url } of page.frames().map((each) => ({ url: each.url() }))) {
    expect(url).not.toContain("secret");
  }
});

test("the dialog and its frame have the names the checkout gives them", async () => {
  await visit();
  await openCheckout();
  await expect.poll(() => page.getByRole("dialog", { name: "Buy Bitcoin" }).count()).toBe(1);
  expect(await page.locator("[data-exchange] iframe").getAttribute("title")).toBe("Buy Bitcoin");
});

test("Tab never reaches the shop while the checkout is open", async () => {
  await visit();
  await openCheckout();
  const visited = new Set<string>();
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press(press % 2 === 0 ? "Tab" : press % 3 === 0 ? "Shift+Tab" : "Tab");
    visited.add(
      await page.evaluate<string>(
        "document.activeElement.id || document.activeElement.dataset.exchange || document.activeElement.tagName",
      ),
    );
  }
  expect([...visited].filter((name) => name !== "checkout" && name !== "BODY")).toEqual([]);
});

test("Escape in the checkout closes it and the focus goes back to the button", async () => {
  await visit();
  await openCheckout();
  await frame().locator("#amount").press("Escape");
  expect(await closed()).toEqual({ outcome: "closed", reason: "escape" });
  expect(await page.evaluate<string>("document.activeElement.id")).toBe("pay");
  expect(await dialogs().count()).toBe(0);
});

test("Escape closes a checkout that is still loading", async () => {
  await visit("?clientId=silent");
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("Loading checkout…").waitFor();
  await page.keyboard.press("Escape");
  expect(await closed()).toEqual({ outcome: "closed", reason: "escape" });
});

test("a click on the backdrop does nothing", async () => {
  await visit();
  await openCheckout();
  await page.mouse.click(10, 10);
  expect(await state()).toBe("open");
});

test("Back asks the checkout to close, and the address stays", async () => {
  await visit();
  const address = page.url();
  await openCheckout();
  await page.evaluate("history.back()");
  expect(await closed()).toEqual({ outcome: "closed", reason: "back" });
  expect(page.url()).toBe(address);
  expect(await page.evaluate("history.state")).toBeNull();
});

test("a checkout that stays open keeps holding the Back button", async () => {
  await visit("?clientId=stay");
  await openCheckout();
  for (let round = 1; round <= 2; round += 1) {
    await page.evaluate("history.back()");
    await expect
      .poll(async () => (await events()).filter(({ name }) => name === "exitIntent").length)
      .toBe(round);
  }
  expect(await state()).toBe("open");
});

test("20 rounds of opening and closing leave no node, style sheet or history entry", async () => {
  await visit();
  const measure = () =>
    page.evaluate<unknown>(
      "({ nodes: document.querySelectorAll('*').length, sheets: document.adoptedStyleSheets.length, state: history.state, overflow: getComputedStyle(document.documentElement).overflow })",
    );
  const before = await measure();
  const length = await page.evaluate<number>("history.length");
  for (let round = 0; round < 20; round += 1) {
    await openCheckout();
    await frame().locator("#close").click();
    await expect.poll(async () => (await results()).length).toBe(round + 1);
  }
  await expect.poll(measure).toEqual(before);
  // The entry that was taken back stays ahead, as after any Back, and the next round replaces it.
  expect(await page.evaluate<number>("history.length")).toBeLessThanOrEqual(length + 1);
  await page.goBack();
  expect(page.url()).toBe("about:blank");
});

test("init while open gives back the same promise and opens no second dialog", async () => {
  await visit();
  await openCheckout();
  await page.evaluate("open_(), open_(), undefined");
  expect(await page.evaluate("new Set(promises).size")).toBe(1);
  expect(await dialogs().count()).toBe(1);
});

test("a strict policy with Trusted Types is not violated once", async () => {
  await visit("?policy=strict");
  await openCheckout();
  await frame().locator("#tall").click();
  await frame().locator("#close").click();
  expect(await closed()).toEqual({ outcome: "closed", reason: "user" });
  expect(await page.evaluate("violations")).toEqual([]);
});

test("a policy that keeps the frame out is told at once, with a way to close", async () => {
  await visit("?policy=closed");
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("Checkout opens in a new window.").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  expect(await closed()).toEqual({ outcome: "closed", reason: "user" });
});

test("forged messages from the page and from other frames have no effect", async () => {
  await visit();
  await openCheckout();
  await page.evaluate(`(() => {
    const frame = document.querySelector("[data-exchange]").shadowRoot.querySelector("iframe");
    const [, instance] = /#i=([0-9]+)/.exec(frame.src);
    const origin = new URL(frame.src).origin;
    const messages = [
      { protocol: "exchange.v1", type: "hello", instance, load: "forged", versions: [1] },
      { type: "close", reason: "user" },
      { type: "event", name: "orderPlaced", snapshot: { orderId: 1 }, sequence: 1 },
      null, "close", 7, [],
    ];
    for (const data of messages) {
      window.postMessage(data, "*");
      window.dispatchEvent(new MessageEvent("message", { data, origin, source: frame.contentWindow }));
    }
    const other = document.body.appendChild(document.createElement("iframe"));
    other.contentWindow.parent.postMessage(messages[0], "*");
  })()`);
  await page.waitForTimeout(200);
  expect(await state()).toBe("open");
  expect((await events()).map(({ name }) => name)).not.toContain("orderPlaced");
  await frame().locator("#close").click();
  expect(await closed()).toEqual({ outcome: "closed", reason: "user" });
});

test("an order that was placed is the result, however the checkout closes", async () => {
  await visit();
  await openCheckout();
  await frame().locator("#order").click();
  await frame().locator("#close").click();
  expect(await closed()).toMatchObject({
    outcome: "placed",
    reason: "user",
    order: { orderId: 42, status: "awaiting_payment" },
  });
  expect((await events()).map(({ name }) => name)).toEqual(["open", "orderPlaced", "close"]);
  expect(await page.evaluate("domEvents")).toEqual(["close"]);
});

test("a checkout that does not load offers to try again", async () => {
  await visit("?clientId=silent");
  await page.clock.install();
  await page.getByRole("button", { name: "Pay" }).click();
  await page.clock.fastForward(15_000);
  await page.getByText("Checkout is taking too long to load.").waitFor();
  expect((await events()).at(-1)).toMatchObject({ name: "error", error: { code: "load_timeout" } });
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Loading checkout…").waitFor();
  await page.clock.fastForward(15_000);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  expect(await closed()).toMatchObject({ outcome: "failed", reason: "load_timeout" });
});

test("a token may come later, from a function that is called in the click", async () => {
  await visit();
  await page.evaluate(
    "open_({ baseAmount: 100, authenticationToken: () => new Promise((done) => setTimeout(done, 300, 'late.token')) }), undefined",
  );
  expect(await state()).not.toBe("idle");
  await expect.poll(state).toBe("open");
  expect(await frame().locator("#log").textContent()).toContain(
    '"token":"late.token","options":{"baseAmount":100}',
  );
});

test("a token that cannot be had is told to the checkout and to the page", async () => {
  await visit();
  await page.evaluate(
    "open_({ authenticationToken: () => Promise.reject(new Error('no')) }), undefined",
  );
  await expect.poll(() => frame().locator("#log").textContent()).toContain("init-failed");
  expect((await events()).at(-1)).toMatchObject({ error: { code: "token_unavailable" } });
  await page.evaluate("exchange.close()");
  expect((await closed())?.outcome).toBe("closed");
});

test("destroy closes without asking and forgets the listeners", async () => {
  await visit("?clientId=stay");
  await openCheckout();
  await page.evaluate("exchange.destroy()");
  expect(await closed()).toEqual({ outcome: "closed", reason: "host" });
  const heard = (await events()).length;
  await page.getByRole("button", { name: "Pay" }).click();
  await expect.poll(state).toBe("open");
  expect((await events()).length).toBe(heard);
});

test("a page that throws the dialog away can open another", async () => {
  await visit();
  await openCheckout();
  await page.evaluate("document.querySelector('[data-exchange]').remove()");
  await openCheckout();
  expect(await results()).toEqual([{ outcome: "closed", reason: "navigated" }]);
});

test.each([
  ["twice", "?twice"],
  ["as a module", "?module"],
  ["twice as a module", "?module&twice"],
])("the script may be loaded %s", async (_how, query) => {
  await visit(query);
  await openCheckout();
  expect(await dialogs().count()).toBe(1);
});

test("the checkout may be opened before the page has a body", async () => {
  await visit("?early");
  await expect.poll(state).toBe("open");
  await frame().locator("#close").click();
  expect(await closed()).toEqual({ outcome: "closed", reason: "user" });
});

test("on a phone the checkout fills the screen, on a desktop it is 440 px and in the middle", async () => {
  await visit("", { width: 360, height: 740 });
  await openCheckout();
  expect(await dialogs().boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 740 });
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await dialogs().boundingBox()).toEqual({ x: 420, y: 130, width: 440, height: 640 });
  await frame().locator("#tall").click();
  await expect.poll(async () => (await dialogs().boundingBox())?.height).toBe(852);
});
